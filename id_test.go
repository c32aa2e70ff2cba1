package fieldlift

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestIDsSortByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		for range 100 {
			ids = append(ids, NewID(ParserPrefix))
			time.Sleep(time.Millisecond)
		}
		if !slices.IsSorted(ids) {
			t.Error("ids made a millisecond apart are out of order")
		}
	})
}

func TestValidID(t *testing.T) {
	id := NewID(ParserPrefix)
	if !ValidID(ParserPrefix, id) {
		t.Errorf("%s is refused", id)
	}
	for _, bad := range []string{
		"", "par_", strings.TrimPrefix(id, ParserPrefix), "usr_" + id[4:], id + "0", id[:len(id)-1],
		id[:len(id)-1] + "\x00", id[:len(id)-1] + "U", id[:len(id)-1] + "\n", strings.ToUpper(id),
	} {
		if ValidID(ParserPrefix, bad) {
			t.Errorf("%q is taken for an id", bad)
		}
	}
}
