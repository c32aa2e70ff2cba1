package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestContextAttributesAreInEveryLine(t *testing.T) {
	var out bytes.Buffer
	log, err := NewLogger(&out, "json", slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	request := With(t.Context(), slog.String("request_id", "req_1"))
	account := With(request, slog.String("account_id", "usr_1"))
	log.With("part", "x").InfoContext(account, "hello")
	log.InfoContext(request, "bye")
	log.DebugContext(request, "not shown")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"request_id":"req_1","account_id":"usr_1"`) || !strings.Contains(lines[0], `"part":"x"`) || strings.Contains(lines[1], "usr_1") {
		t.Errorf("%s", out.String())
	}
	if _, err := NewLogger(&out, "xml", slog.LevelInfo); err == nil {
		t.Error("a format that is none is taken")
	}
}
