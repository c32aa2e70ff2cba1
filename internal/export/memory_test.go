package export

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryDoesNotGrowWithTheExport looks at what is held, after a garbage
// collection, early and late in one export.
func TestMemoryDoesNotGrowWithTheExport(t *testing.T) {
	const early, late = 200, 8_000
	fields := fieldsOf(t, `[{"name":"a"},{"name":"b","type":"number"},
		{"name":"rows","type":"array","fields":[{"name":"x"},{"name":"y","type":"date"}]},
		{"name":"more","type":"array","fields":[{"name":"x"}]}]`)
	data := json.RawMessage(`{"a":"` + strings.Repeat("text ", 200) + `","b":1.5,"rows":[` +
		strings.TrimSuffix(strings.Repeat(`{"x":"some text","y":"2026-01-01"},`, 20), ",") + `],"more":[{"x":"y"}]}`)
	// A sheet has up to 16 MB in memory, in a buffer that may be twice as large.
	for format, most := range map[Format]uint64{JSON: 1 << 20, CSV: 1 << 20, XLSX: 3 * 33 << 20} {
		held := map[int]uint64{}
		table := Table{Fields: fields, Records: func(yield func(Record, error) bool) {
			for i := range late + 1 {
				if i == early || i == late {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					held[i] = m.HeapAlloc
				}
				if !yield(Record{DocumentID: fmt.Sprint("doc_", i), Data: data}, nil) {
					return
				}
			}
		}}
		if err := Write(io.Discard, format, table, Options{TempDir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		if held[late] > held[early]+most {
			t.Errorf("%s: %d bytes are held after %d documents, %d after %d", format, held[early], early, held[late], late)
		}
		t.Logf("%s: %d KB → %d KB", format, held[early]>>10, held[late]>>10)
	}
}
