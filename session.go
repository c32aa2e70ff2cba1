package fieldlift

import "time"

// Session is a browser in which a person has signed in.
type Session struct {
	ID         string
	AccountID  string
	Agent      string // what the browser calls itself
	Address    string // where it was last seen
	CreatedAt  time.Time
	LastSeenAt time.Time // exact to a minute
	ExpiresAt  time.Time
}

// Visitor is who a valid session stands for.
type Visitor struct {
	Account Account // without its password
	Session Session
}

const (
	// SessionIdle is how long a session lasts that is not used.
	SessionIdle = 14 * 24 * time.Hour
	// SessionLongest is how long a session lasts at most.
	SessionLongest = 90 * 24 * time.Hour
	// MaxAgent is how much is kept of what a browser calls itself.
	MaxAgent = 300

	sessionToken = 43 // characters: 256 random bits
)

// NewSessionToken makes the secret that a browser keeps; HashKey gives the form
// in which it is stored.
func NewSessionToken() string { return RandomText(sessionToken) }

// SessionEnd tells when a session that began and was used at these times ends.
func SessionEnd(began, used time.Time) time.Time {
	end, last := used.Add(SessionIdle), began.Add(SessionLongest)
	if last.Before(end) {
		return last
	}
	return end
}

// Throttle slows down tries that share something, such as an address.
type Throttle struct {
	Bucket  string        // what they share
	Free    int64         // so many cost nothing
	Longest time.Duration // no wait is longer
}

const (
	firstWait = 5 * time.Second
	// ThrottleMemory is how long tries are remembered after the last one.
	ThrottleMemory = 24 * time.Hour
)

// Wait tells how long to wait after so many tries: nothing for the free
// ones, then a time that doubles with each.
func (t Throttle) Wait(tries int64) time.Duration {
	over := tries - t.Free
	if over < 0 {
		return 0
	}
	if over > 20 { // far beyond any longest wait
		return t.Longest
	}
	return min(t.Longest, firstWait<<over)
}

// SignInThrottles are what a try to sign in counts against, until it succeeds.
// That of the e-mail address alone comes late, and its waits are short: a
// stranger must not lock a person out.
func SignInThrottles(email, address string) []Throttle {
	return []Throttle{
		{Bucket: "sign-in " + email + " " + address, Free: 5, Longest: 15 * time.Minute},
		{Bucket: "sign-in from " + address, Free: 30, Longest: 15 * time.Minute},
		{Bucket: "sign-in as " + email, Free: 50, Longest: 30 * time.Second},
	}
}

// TrialThrottles are what a try of a parser counts against: it costs nothing,
// but is meant for a look, not for work.
func TrialThrottles(accountID string) []Throttle {
	return []Throttle{{Bucket: "trial of " + accountID, Free: 30, Longest: 10 * time.Minute}}
}

// SignUpThrottles are what a try to sign up counts against.
func SignUpThrottles(address string) []Throttle {
	return []Throttle{{Bucket: "sign-up from " + address, Free: 10, Longest: time.Hour}}
}
