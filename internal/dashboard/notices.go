package dashboard

// notices are what pages tell of what was just done, by the name that stands
// in their address.
var notices = map[string]string{
	"signed-out":       "You are signed out.",
	"renamed":          "Your name is changed.",
	"password-changed": "Your password is changed. All your other sessions are signed out.",
	"session-ended":    "That session is signed out.",
	"sessions-ended":   "All your other sessions are signed out.",
	"appearance-set":   "The appearance is changed in this browser.",

	"key-revoked":     "The key is revoked. Requests with it are refused from now on.",
	"webhook-changed": "The webhook is changed.",
	"webhook-paused":  "The webhook is paused. Events that happen meanwhile are not sent to it.",
	"webhook-resumed": "The webhook is active again.",
	"webhook-deleted": "The webhook is deleted. It is called no more.",
	"redelivered":     "The event is on its way again.",
	"credits-granted": "The credits are granted.",
}
