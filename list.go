package fieldlift

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// Page asks for a part of a list: at most Limit rows after the cursor After,
// newest first.
type Page struct {
	Limit int
	After Cursor // zero: from the start
}

// Cursor is a place in a list, newest first: just after the row made at At
// with this ID. Rows that come and go do not move it.
type Cursor struct {
	At time.Time
	ID string
}

// IsZero reports whether the cursor stands before the first row.
func (c Cursor) IsZero() bool { return c.ID == "" }

// scopeLength bytes of a hash bind a cursor to its list. They keep honest
// clients from mixing lists up; what a row's reader may see is decided
// elsewhere, by the account of the key.
const scopeLength = 8

// Encode writes the cursor as opaque text that Decode takes back for the same
// scope only: the list's name, its account and its filters.
func (c Cursor) Encode(scope string) string {
	b := make([]byte, 0, scopeLength+8+len(c.ID))
	b = append(b, scopeHash(scope)...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.At.UnixMicro()))
	b = append(b, c.ID...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// DecodeCursor reads a cursor for a list whose ids have the given prefix.
func DecodeCursor(text, scope, prefix string) (Cursor, error) {
	refused := Invalid(Detail{Field: "cursor", Issue: "cursor", Message: "cursor is not one that this list gave out with these filters; start again without it."})
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < scopeLength+8 || string(b[:scopeLength]) != string(scopeHash(scope)) {
		return Cursor{}, refused
	}
	micros := int64(binary.BigEndian.Uint64(b[scopeLength:]))
	id := string(b[scopeLength+8:])
	c := Cursor{At: time.UnixMicro(micros).UTC(), ID: id}
	// One cursor has one text: base64 alone would let line breaks pass.
	if micros < 0 || !ValidID(prefix, id) || c.Encode(scope) != text {
		return Cursor{}, refused
	}
	return c, nil
}

func scopeHash(scope string) []byte {
	sum := sha256.Sum256([]byte(scope))
	return sum[:scopeLength]
}
