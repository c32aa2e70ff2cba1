package fieldlift

import (
	"strings"
	"time"
)

// Sample is a file from which a parser's fields were detected. It is kept, so
// that they can be detected again.
type Sample struct {
	ID          string
	AccountID   string
	Filename    string
	ContentType string
	SizeBytes   int64
	SHA256      string
	PageCount   int64
	CreatedAt   time.Time
}

// BlobKey is where the sample's file is kept.
func (s Sample) BlobKey() string { return s.ID }

// PagesKey is where what was read off the sample's pages is kept, if it was
// costly to read. It goes with the file.
func (s Sample) PagesKey() string { return s.BlobKey() + pagesSuffix }

// SampleOfKey is the id of the sample that a kept file belongs to.
func SampleOfKey(key string) string { return strings.TrimSuffix(key, pagesSuffix) }

// Proposal is what a sample suggests to extract from documents like it.
type Proposal struct {
	DocumentType string // a slug, "" when it could not be told
	Fields       []Field
}

// Detection is a proposal for a parser that is not yet accepted. It costs one
// credit for each page of its sample, each time.
type Detection struct {
	ID       string // what is charged
	ParserID string
	Sample   Sample
	Stored   bool // the sample is one that is there already
	Proposal Proposal
	Replace  bool // a schema that the parser has
}

// Detected is a detection that was accepted: the parser has its schema.
type Detected struct {
	Parser      Parser
	CreditsUsed int64
	Replaced    Sample // one that no parser has any more, for its file to be removed; zero when there is none
}

// Preview is what a schema that is not saved yet would find in a file.
type Preview struct {
	Filename  string
	PageCount int64 // of the file
	Looked    int64 // at so many of its pages, from the first
	Result    Result
	Pictures  []Picture // of the pages of a file that is not kept
}

// Picture is an image as browsers show it.
type Picture struct {
	Content     []byte
	ContentType string
}

// MaxPrompt is how many characters may be said about what to detect.
const MaxPrompt = 2000
