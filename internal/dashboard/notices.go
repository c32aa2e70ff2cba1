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
}
