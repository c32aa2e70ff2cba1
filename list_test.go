package fieldlift

import (
	"testing"
	"time"
)

func TestCursorIsBoundToItsScope(t *testing.T) {
	c := Cursor{At: time.UnixMicro(1_800_000_000_123_456).UTC(), ID: NewID(ParserPrefix)}
	text := c.Encode("parsers usr_1")
	got, err := DecodeCursor(text, "parsers usr_1", ParserPrefix)
	if err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
	for _, scope := range []string{"parsers usr_2", "extractions usr_1", ""} {
		if _, err := DecodeCursor(text, scope, ParserPrefix); CodeOf(err) != InvalidPayload {
			t.Errorf("it is taken for %q: %v", scope, err)
		}
	}
	if _, err := DecodeCursor(text, "parsers usr_1", "ext_"); err == nil {
		t.Error("it is taken for a list of other things")
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("", "scope")
	const id = "par_06gxt53x58cdh0w5nz70pwrz90"
	f.Add(Cursor{At: time.Unix(1, 0), ID: id}.Encode("scope"), "scope")
	f.Add(Cursor{At: time.Unix(1, 0), ID: id}.Encode("scope")+"\n", "scope")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "")
	f.Fuzz(func(t *testing.T, text, scope string) {
		c, err := DecodeCursor(text, scope, ParserPrefix)
		if err != nil {
			return
		}
		if !ValidID(ParserPrefix, c.ID) || c.At.UnixMicro() < 0 {
			t.Errorf("%q gives the cursor %+v", text, c)
		}
		if again := c.Encode(scope); again != text {
			t.Errorf("%q is written again as %q", text, again)
		}
	})
}
