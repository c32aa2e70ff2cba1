package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"fieldlift/internal/golden"
	"fieldlift/internal/score"
)

// evalWriter writes what was measured for people to read.
type evalWriter struct {
	w   io.Writer
	err error // the first that writing met
}

func (e *evalWriter) print(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// report writes a whole report: the sets, then all together.
func (e *evalWriter) report(r golden.Report) {
	for _, s := range r.Sets {
		if r.Misfit {
			e.misfit(s)
		} else {
			e.set(s)
		}
	}
	e.print("\n== all %d sets: ", len(r.Sets))
	if r.Misfit {
		e.print("%d fields asked that do not fit, %d filled: %s %% invented (%d values with confidence 0.9 or more)\n",
			r.All.Asked, r.All.Filled, share(r.All.Asked, r.All.Filled), confident(r.All.Confident).Values)
	} else {
		e.print("mean doc score %s  soft %s  F1 %s\n", percent(r.All.DocScore), percent(r.All.DocSoft), percent(r.All.F1))
		e.calibration(r.All.Calibration, r.All.Confident)
	}
	e.timing(r.All.Timing)
	if m := r.All.Model; m != nil {
		e.print("   model %s (%s): asked for %d of %d fields (%s %%) in %d calls, %d tokens sent and %d answered\n",
			m.Name, m.Engine, m.Asked, m.Fields, share(m.Fields, m.Asked), m.Calls, m.InputTokens, m.OutputTokens)
	}
}

func (e *evalWriter) set(s golden.Set) {
	e.print("\n== %s: %d cases, %d without prediction, %d values\n", s.Name, s.Cases, s.WithoutPrediction, s.Values)
	e.print("   doc score %s  (95%% %s to %s)   soft %s   F1 %s (P %s R %s)   row F1 %s   all right %s   omitted %d invented %d\n",
		percent(s.DocScore), percent(s.DocScore95[0]), percent(s.DocScore95[1]), percent(s.DocSoft), percent(s.F1), percent(s.Precision),
		percent(s.Recall), known(s.RowF1), percent(s.AllRight), s.Omitted, s.Invented)
	for _, f := range s.Fields {
		e.print("   %-34s %-7s docs %4d  exact %s  anls %s  F1 %s  omitted %4d invented %4d", short(f.Name, 34), short(f.Type, 7), f.Docs,
			known(f.Exact), known(f.ANLS), percent(f.F1), f.Omitted, f.Invented)
		if f.RowF1 != nil {
			e.print("  row F1 %s", percent(*f.RowF1))
		}
		e.print("\n")
	}
	if s.Calibration.Values > 0 {
		e.print("   confidence: calibration error %.3f; of %d values with 0.9 or more %s %% right\n",
			s.Calibration.Error, confident(s.Confident).Values, strings.TrimSpace(percent(confident(s.Confident).Right)))
	}
	e.timing(s.Timing)
	e.failed(s)
}

func (e *evalWriter) misfit(s golden.Set) {
	e.print("\n== %s: %d files, %d fields asked that do not fit, %d filled: %s %% invented\n", s.Name, s.Cases, s.Asked, s.Filled, share(s.Asked, s.Filled))
	for _, f := range s.Fields {
		e.print("   %-34s %-7s files %4d  values %4d\n", short(f.Name, 34), short(f.Type, 7), f.Docs, f.Invented)
	}
	e.failed(s)
}

func (e *evalWriter) failed(s golden.Set) {
	for _, f := range s.Failed {
		e.print("   failed: %s: %s\n", f.File, f.Error)
	}
}

func (e *evalWriter) timing(t golden.Timing) {
	e.print("   time a page: engine %.2f ms, reading %.2f ms, whole %.2f ms (%d pages; slowest document %.0f ms in the engine)\n",
		t.EngineMs, t.ReadMs, t.WholeMs, t.Pages, t.SlowestMs)
}

func (e *evalWriter) calibration(c score.Calibration, at []score.Confident) {
	if c.Values == 0 {
		return
	}
	e.print("   %d values with a confidence, calibration error %.3f\n", c.Values, c.Error)
	for _, b := range c.Bins {
		e.print("     confidence %.1f to %.1f: %5d values, mean %s, right %s\n", b.From, b.To, b.Values, percent(b.Confidence), percent(b.Right))
	}
	for _, t := range at {
		if t.Values > 0 {
			e.print("     taking only %.2f and more: %5d values (%s %%), right %s\n", t.AtLeast, t.Values, percent(t.Coverage), percent(t.Right))
		}
	}
}

// misses writes the values that are not right, one a line, so that a search
// for a field or a file finds whole lines.
func (e *evalWriter) misses(misses []golden.Miss) {
	for _, m := range misses {
		sure, values := "   -", ""
		if m.Place.Source != "" {
			sure = fmt.Sprintf("%.2f", m.Place.Confidence)
		}
		if m.Verdict != score.Invented {
			values += "  expected " + literal(m.Expected)
		}
		if m.Verdict != score.Omitted {
			values += "  got " + literal(m.Got)
		}
		place := ""
		if m.Place.Page > 0 {
			place = fmt.Sprintf(" page %d", m.Place.Page)
		}
		e.print("%-8s %s  %-28s%s  (%s %s%s)\n", m.Verdict, sure, m.Path, values, m.Set, m.File, place)
	}
}

// comparison writes what is not as in the baseline.
func (e *evalWriter) comparison(c golden.Comparison) {
	e.print("\n== compared with the baseline\n")
	if len(c.Changes) == 0 {
		e.print("   nothing changed\n")
	}
	for _, one := range c.Changes {
		mark := ""
		if one.Worse {
			mark = "  WORSE"
		}
		e.print("   %-32s %-40s %s -> %s  (%+.1f)%s\n",
			short(one.Set, 32), short(one.Figure, 40), percent(one.Before), percent(one.Now), 100*(one.Now-one.Before), mark)
	}
	for _, note := range c.Notes {
		e.print("   note: %s\n", note)
	}
}

// confident gives what is right at 0.9, the line that most people draw.
func confident(all []score.Confident) score.Confident {
	for _, c := range all {
		if c.AtLeast == 0.9 {
			return c
		}
	}
	return score.Confident{}
}

func percent(x float64) string { return fmt.Sprintf("%5.1f", 100*x) }

// known is the percentage of a figure that may not be there.
func known(x *float64) string {
	if x == nil {
		return "   - "
	}
	return percent(*x)
}

func share(whole, part int) string {
	return strings.TrimSpace(percent(float64(part) / float64(max(1, whole))))
}

func short(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}

// literal writes a value on one line, as JSON, cut when it is long.
func literal(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "?"
	}
	const most = 100
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, b.String())
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
