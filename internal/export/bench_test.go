//go:build unix

package export

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkExport writes 100,000 rows of 20 columns. Beside the time it tells
// the CPU time, what the process grew by at most, and the size of the file.
func BenchmarkExport(b *testing.B) {
	table := benchTable(b, 15, false) // and five columns that each table has
	b.Run("json", func(b *testing.B) { benchmark(b, JSON, table, Options{}) })
	b.Run("csv", func(b *testing.B) { benchmark(b, CSV, table, Options{}) })
	b.Run("xlsx", func(b *testing.B) { benchmark(b, XLSX, table, Options{}) })
	arrays := benchTable(b, 14, true)
	b.Run("csv exploded", func(b *testing.B) { benchmark(b, CSV, arrays, Options{Explode: "lines"}) })
	b.Run("xlsx and 300,000 rows of an array", func(b *testing.B) { benchmark(b, XLSX, arrays, Options{}) })
}

const benchRows = 100_000

func benchTable(b *testing.B, columns int, arrays bool) Table {
	var fields, values []string
	for i := range columns {
		switch i % 5 {
		case 0:
			fields = append(fields, fmt.Sprintf(`{"name":"text %d"}`, i))
			values = append(values, fmt.Sprintf(`"text %d":"Müller & Söhne GmbH"`, i))
		case 1:
			fields = append(fields, fmt.Sprintf(`{"name":"number %d","type":"number"}`, i))
			values = append(values, fmt.Sprintf(`"number %d":-1234.56`, i))
		case 2:
			fields = append(fields, fmt.Sprintf(`{"name":"date %d","type":"date"}`, i))
			values = append(values, fmt.Sprintf(`"date %d":"2026-06-30"`, i))
		case 3:
			fields = append(fields, fmt.Sprintf(`{"name":"boolean %d","type":"boolean"}`, i))
			values = append(values, fmt.Sprintf(`"boolean %d":true`, i))
		case 4:
			fields = append(fields, fmt.Sprintf(`{"name":"object %d","type":"object","fields":[{"name":"inside"}]}`, i))
			values = append(values, fmt.Sprintf(`"object %d":{"inside":"a somewhat longer text, as notes are"}`, i))
		}
	}
	if arrays {
		fields = append(fields, `{"name":"lines","type":"array","fields":[{"name":"text"},{"name":"amount","type":"number"},{"name":"due","type":"date"}]}`)
		line := `{"text":"Hexagon bolt M8","amount":12.5,"due":"2026-07-01"}`
		values = append(values, `"lines":[`+line+`,`+line+`,`+line+`]`)
	}
	data := json.RawMessage("{" + strings.Join(values, ",") + "}")
	return Table{
		Name:   "Benchmark",
		Fields: fieldsOf(b, "["+strings.Join(fields, ",")+"]"),
		Records: func(yield func(Record, error) bool) {
			for i := range benchRows {
				r := Record{DocumentID: fmt.Sprintf("doc_%020d", i), Filename: "invoice.pdf", Status: "completed", PageCount: 1, Confidence: 0.97, Data: data}
				if !yield(r, nil) {
					return
				}
			}
		},
	}
}

func benchmark(b *testing.B, f Format, t Table, o Options) {
	debug.FreeOSMemory() // what others left behind is not ours
	peak := watchMemory(b)
	before := cpuTime(b)
	var size counter
	for b.Loop() {
		size = 0
		if err := Write(&size, f, t, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
	b.ReportMetric(float64(size)/(1<<20), "file-MB")
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// watchMemory gives a function that tells the most memory that the process
// had from the system since, garbage included.
func watchMemory(b *testing.B) (peak func() uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	stop := make(chan struct{})
	var most uint64
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(samples)
			most = max(most, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	})
	end := sync.OnceFunc(func() { close(stop); watching.Wait() })
	b.Cleanup(end)
	return func() uint64 { end(); return most }
}
