package fieldlift

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

// The prefixes of identifiers: they tell a reader what an id names.
const (
	AccountPrefix    = "usr_"
	KeyPrefix        = "key_"
	PurchasePrefix   = "pur_"
	ParserPrefix     = "par_"
	SamplePrefix     = "smp_"
	DetectionPrefix  = "det_"
	ExtractionPrefix = "ext_"
	DocumentPrefix   = "doc_"
	WebhookPrefix    = "whk_"
	EventPrefix      = "evt_"
	DeliveryPrefix   = "dlv_"
	SessionPrefix    = "ses_"
	ActivityPrefix   = "act_"
	RequestPrefix    = "req_"
)

// idAlphabet is Crockford's alphabet in lower case: it sorts as the bytes do, and
// has no letters that are mistaken for digits.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var idText = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

const idLength = 26

// NewID makes an identifier that sorts by the time of its making: 48 bits of
// milliseconds, then 80 random bits.
func NewID(prefix string) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(b[6:]) // never fails: crypto/rand ends the program instead
	return prefix + idText.EncodeToString(b[:])
}

// ValidID reports whether s has the form of an id with this prefix. What has
// not is not looked up: no such thing can exist.
func ValidID(prefix, s string) bool {
	text, found := strings.CutPrefix(s, prefix)
	if !found || len(text) != idLength {
		return false
	}
	return strings.Trim(text, idAlphabet) == ""
}
