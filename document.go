package fieldlift

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// DocumentStatus is where a document stands.
type DocumentStatus string

// The statuses of documents.
const (
	DocumentQueued     DocumentStatus = "queued"
	DocumentProcessing DocumentStatus = "processing"
	DocumentCompleted  DocumentStatus = "completed"
	DocumentFailed     DocumentStatus = "failed"
)

// Document is one file of an extraction.
type Document struct {
	ID             string
	ExtractionID   string
	AccountID      string
	Position       int64 // in the submission, from 0
	Filename       string
	ContentType    string
	SizeBytes      int64
	SHA256         string
	PageCount      int64
	CreditsUsed    int64
	Status         DocumentStatus
	ErrorMessage   string // "" unless it failed
	Confidence     float64
	ProcessingTime time.Duration
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ReviewedAt     time.Time // when a person last corrected it; zero when no correction holds
}

// Finished reports whether nothing more will happen to the document.
func (d Document) Finished() bool {
	return d.Status == DocumentCompleted || d.Status == DocumentFailed
}

// BlobKey is where the document's file is kept.
func (d Document) BlobKey() string { return d.ExtractionID + "/" + d.ID }

// pagesSuffix tells what was read off a file from the file itself.
const pagesSuffix = ".pages"

// PagesKey is where what was read off the document's pages is kept, if it was
// costly to read. It lies beside the file and goes with it.
func (d Document) PagesKey() string { return d.BlobKey() + pagesSuffix }

// DocumentOfKey is the id of the document that a kept file belongs to.
func DocumentOfKey(key string) string {
	_, name, _ := strings.Cut(key, "/")
	return strings.TrimSuffix(name, pagesSuffix)
}

const maxFilename = 255

// CleanFilename gives the name of an uploaded file as it is shown: its last
// element, without what no page or file system can hold.
func CleanFilename(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || isOverride(r) {
			return '_'
		}
		return r
	}, name)
	for len(name) > maxFilename {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "" || name == "." || name == ".." {
		return "document"
	}
	return strings.Clone(name) // what it was cut from may be megabytes of header
}

// isOverride tells the characters that turn the direction of text, by which
// "fdp.exe" can be made to look like "exe.pdf".
func isOverride(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// Claim is a document that a worker has begun, with what it needs to know.
// Attempt is its fence: only the latest one can finish the document.
type Claim struct {
	Document      Document
	Extraction    Extraction
	Attempt       int64
	Postponements int64
}

// ErrClaimLost is the answer to a worker whose claim was taken away, because
// it gave no sign of life; nothing has changed.
var ErrClaimLost = errors.New("the document was given to another worker")

// Record is a document with its result, each part as the JSON text that is
// shown: "" where there is none.
type Record struct {
	Document   Document
	Data       string
	Metadata   string
	Validation string
	Pages      string
	Model      string
}
