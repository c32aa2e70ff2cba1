package fieldlift

import "time"

// DeliveryStatus is where the delivery of an event to a webhook stands.
type DeliveryStatus string

// The statuses of deliveries. An Attempt has one of the last three: what it
// made of its delivery.
const (
	DeliveryPending      DeliveryStatus = "pending"       // not tried yet
	DeliverySuccess      DeliveryStatus = "success"       // the receiver answered 2xx
	DeliveryPendingRetry DeliveryStatus = "pending_retry" // a try failed, another one follows
	DeliveryFailed       DeliveryStatus = "failed"        // the last try failed
)

// DeliveryStatuses are all of them.
var DeliveryStatuses = []DeliveryStatus{DeliveryPending, DeliverySuccess, DeliveryPendingRetry, DeliveryFailed}

// Delivery is an event on its way to one webhook.
type Delivery struct {
	ID           string
	WebhookID    string
	ExtractionID string // "" of a test
	EventID      string
	EventType    EventType
	Status       DeliveryStatus
	Attempts     int64     // how often it was tried
	NextAt       time.Time // when it is tried next; zero when it is over
	CreatedAt    time.Time
}

// Attempt is one try of a delivery.
type Attempt struct {
	DeliveryID  string
	WebhookID   string
	EventType   EventType
	RetryCount  int64 // 0 for the first try
	Status      DeliveryStatus
	StatusCode  int           // 0 when no answer came
	Error       string        // why it failed, in a sentence; "" when it did not
	Response    string        // the beginning of what the receiver answered
	AttemptedAt time.Time     // when it began
	Took        time.Duration // until the answer was read, or the failure
}

// DeliveryClaim is a delivery that is about to be tried, with what is needed
// for it. Fence tells it from later claims of the same delivery.
type DeliveryClaim struct {
	Delivery Delivery
	URL      string
	Secrets  WebhookSecrets
	Payload  Payload
	Fence    int64
}

// AttemptEnd is what the end of an attempt changes.
type AttemptEnd struct {
	Attempt Attempt
	Fence   int64
	NextAt  time.Time // when the delivery is tried again; zero: never
	Pause   string    // why the webhook is to be paused; "" when it is not
}

// DeliveryRecord is a delivery with its attempts, oldest first.
type DeliveryRecord struct {
	Delivery Delivery
	Payload  Payload
	Attempts []Attempt
}

// Schedule holds the waits before each retry of a delivery.
type Schedule []time.Duration

// DefaultSchedule is the one of the specification.
var DefaultSchedule = Schedule{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute}

// After tells how long to wait after a try failed before which there were so
// many retries; ok is false when it was the last.
func (s Schedule) After(retries int64) (wait time.Duration, ok bool) {
	if retries >= int64(len(s)) {
		return 0, false
	}
	return s[retries], true
}
