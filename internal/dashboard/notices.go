package dashboard

// notices are what pages tell of what was just done, by the name that stands
// in their address.
var notices = map[string]string{
	"signed-out":         "You are signed out.",
	"submitted":          "Your files are submitted. This page follows them.",
	"extraction-deleted": "The extraction is deleted, with its files and results.",

	"renamed":          "Your name is changed.",
	"password-changed": "Your password is changed. All your other sessions are signed out.",
	"session-ended":    "That session is signed out.",
	"sessions-ended":   "All your other sessions are signed out.",
	"appearance-set":   "The appearance is changed in this browser.",

	"example-sent":    "The example is on its way. One credit was used for its page.",
	"parser-made":     "The parser is there. Now give it fields.",
	"parser-changed":  "The settings are saved.",
	"parser-deleted":  "The parser is deleted. What it has extracted stays.",
	"fields-saved":    "The fields are saved.",
	"fields-detected": "These fields were found in the sample, and saved. Rename, drop or change what you like.",

	"key-revoked":     "The key is revoked. Requests with it are refused from now on.",
	"webhook-changed": "The webhook is changed.",
	"webhook-paused":  "The webhook is paused. Events that happen meanwhile are not sent to it.",
	"webhook-resumed": "The webhook is active again.",
	"webhook-deleted": "The webhook is deleted. It is called no more.",
	"redelivered":     "The event is on its way again.",
	"credits-granted": "The credits are granted.",
}
