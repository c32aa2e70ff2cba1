package fieldlift

import (
	"errors"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	fault := errors.New("fault")
	for _, want := range []error{nil, fault} {
		if err := Guard(func() error { return want }); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	err := Guard(func() error { panic(fault) })
	broke, ok := errors.AsType[*Panic](err)
	if !ok || err.Error() != "panic: fault" || !strings.Contains(string(broke.Stack), "panic_test.go") {
		t.Errorf("%v", err)
	}
}
