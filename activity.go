package fieldlift

import (
	"context"
	"strings"
	"time"
)

// ActorKind says what kind of someone did something.
type ActorKind string

// The kinds of actors.
const (
	Service ActorKind = ""        // the service itself, such as when something has had its time
	Person  ActorKind = "person"  // someone who signed in, named by an e-mail address
	APIKey  ActorKind = "key"     // a program, named by its key's label
	Command ActorKind = "command" // the command line
)

// Actor is who does something. The zero Actor is the service itself.
type Actor struct {
	Kind ActorKind
	Name string // "" where the kind says it all
}

// String names the actor as the beginning of a sentence.
func (a Actor) String() string {
	switch a.Kind {
	case Person:
		return a.Name
	case APIKey:
		return "The key " + a.Name
	case Command:
		return "The command line"
	}
	return "Fieldlift"
}

type actorKey struct{}

// WithActor gives a context in which everything is done by this actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf tells who acts in a context: the service itself unless it was told.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// Act names what was done: its group, a dot, what was done to it.
type Act string

// The acts that are noted.
const (
	AccountCreated      Act = "account.created"
	AccountChanged      Act = "account.changed"
	PasswordChanged     Act = "account.password"
	SignedIn            Act = "session.started"
	SignedOut           Act = "session.ended"
	SignInRefused       Act = "session.refused"
	SessionRevoked      Act = "session.revoked"
	CreditsGranted      Act = "credits.granted"
	KeyCreated          Act = "key.created"
	KeyRevoked          Act = "key.revoked"
	ParserCreated       Act = "parser.created"
	ParserChanged       Act = "parser.changed"
	ParserDeleted       Act = "parser.deleted"
	SchemaDetected      Act = "parser.detected"
	ExtractionSubmitted Act = "extraction.submitted"
	ExtractionDeleted   Act = "extraction.deleted"
	DocumentCorrected   Act = "document.corrected"
	WebhookCreated      Act = "webhook.created"
	WebhookChanged      Act = "webhook.changed"
	WebhookPaused       Act = "webhook.paused"
	WebhookResumed      Act = "webhook.resumed"
	WebhookRotated      Act = "webhook.rotated"
	WebhookTested       Act = "webhook.tested"
	WebhookRedelivered  Act = "webhook.redelivered"
	WebhookDeleted      Act = "webhook.deleted"
)

// ActGroups are what the first words of acts can be, in the order in which
// they are offered.
var ActGroups = []string{"account", "session", "credits", "key", "parser", "extraction", "document", "webhook"}

// Group is what the act was done to.
func (a Act) Group() string {
	group, _, _ := strings.Cut(string(a), ".")
	return group
}

// told has what each act is called in a sentence about its actor; "%" stands
// for the name of what it was done to.
var told = map[Act]string{
	AccountCreated:      "created the account",
	AccountChanged:      "changed the account: %",
	PasswordChanged:     "changed the password",
	SignedIn:            "signed in",
	SignedOut:           "signed out",
	SignInRefused:       "refused a sign-in",
	SessionRevoked:      "ended %",
	CreditsGranted:      "granted %",
	KeyCreated:          "created the key %",
	KeyRevoked:          "revoked the key %",
	ParserCreated:       "created the parser %",
	ParserChanged:       "changed the parser %",
	ParserDeleted:       "deleted the parser %",
	SchemaDetected:      "detected the fields of the parser %",
	ExtractionSubmitted: "submitted the extraction %",
	ExtractionDeleted:   "deleted the extraction %",
	DocumentCorrected:   "corrected the document %",
	WebhookCreated:      "created the webhook to %",
	WebhookChanged:      "changed the webhook to %",
	WebhookPaused:       "paused the webhook to %",
	WebhookResumed:      "resumed the webhook to %",
	WebhookRotated:      "rotated the secret of the webhook to %",
	WebhookTested:       "tested the webhook to %",
	WebhookRedelivered:  "had an event delivered again to %",
	WebhookDeleted:      "deleted the webhook to %",
}

// Activity is something that was done in an account.
type Activity struct {
	ID        string
	AccountID string
	At        time.Time
	Actor     Actor
	Act       Act
	Subject   string // the id of what it was done to; "" where that is the account
	Name      string // what that was called then, for it may be gone
}

// String tells what was done, without who did it: "created the key backoffice".
// An act that another version noted is told by its bare name.
func (a Activity) String() string {
	text, known := told[a.Act]
	if !known {
		return strings.TrimSpace(string(a.Act) + " " + a.Name)
	}
	return strings.Replace(text, "%", a.Name, 1)
}

// ActivityFilter chooses activities; zero members choose all.
type ActivityFilter struct {
	Group string // one of ActGroups
}
