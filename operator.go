package fieldlift

import "time"

// What whoever runs the service sees of it. Of other people's documents these
// are ids only: their names and contents are not the operator's business.

// AccountSummary is an account with what it has and does.
type AccountSummary struct {
	Account      Account // without its password
	Available    int64   // credits
	Documents    int64   // that have ended, ever
	LastActivity time.Time
}

// AccountFilter chooses accounts; zero members choose all.
type AccountFilter struct {
	Search string // a part of the e-mail address or the name, in any case
}

// Queue is what waits and what is being worked on, on all nodes.
type Queue struct {
	Waiting    int64     // documents, those that wait for a retry included
	Processing int64     // documents
	Oldest     time.Time // since when the document waits that waits longest; zero when none could be begun now
	Deliveries int64     // that wait for a try or are being tried
	Retries    int64     // those among them that were tried before
}

// RunningDocument is a document that a worker has begun.
type RunningDocument struct {
	DocumentID   string
	ExtractionID string
	AccountID    string
	AccountEmail string
	PageCount    int64
	Attempt      int64
	Node         string    // "" when the node did not say
	Since        time.Time // when it was begun
	Beat         time.Time // the last sign of life of its worker
}

// WaitingAccount is an account whose documents wait.
type WaitingAccount struct {
	AccountID    string
	AccountEmail string
	Documents    int64
	Oldest       time.Time // since when, or until when for those that wait for a retry
}

// FailureGroup is how often documents failed for one reason.
type FailureGroup struct {
	Message  string
	Count    int64
	Examples []FailedDocument // the newest
}

// FailedDocument is a document that failed.
type FailedDocument struct {
	DocumentID   string
	ExtractionID string
	AccountID    string
	AccountEmail string
	At           time.Time
}

// Machine is the process that answers, and what it stands on.
type Machine struct {
	Version  string
	Revision string
	Node     string
	Role     string
	Started  time.Time
	Workers  int // documents that it works on at once; 0 when it does not

	Database      string // its kind
	DatabaseBytes int64

	Files      int64 // that are kept, of documents and samples
	FilesBytes int64
	FilesCut   bool      // there are more: counting them would take too long
	FilesAt    time.Time // when they were counted; zero when they could not be
	FilesPlace string    // "the data folder" or "S3"

	SpoolBytes int64 // files that are being taken in or read, on this node
	DiskFree   int64 // bytes that can still be written in this node's data folder
	DiskKnown  bool  // DiskFree is
}
