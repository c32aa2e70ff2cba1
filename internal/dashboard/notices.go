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
}
