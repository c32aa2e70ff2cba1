package golden

import (
	"errors"
	"fmt"
	"time"

	"fieldlift"
	"fieldlift/internal/score"
)

// Report is how good a run was. It is what --json writes.
type Report struct {
	Version string `json:"version"` // of the program that was measured
	Misfit  bool   `json:"misfit,omitempty"`
	Sets    []Set  `json:"sets"`
	All     All    `json:"all"`
}

// Set is the report of one set.
type Set struct {
	Name string `json:"name"`
	score.Report
	Failed []Failed `json:"failed"`
	Asked  int      `json:"asked"` // top-level fields, over all documents
	Filled int      `json:"filled"`
	Timing Timing   `json:"timing"`
}

// Failed is a file without an answer.
type Failed struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// All sums up all sets: means over sets, so that a large one counts no more
// than a small one, and what is told of confidences over all their values.
type All struct {
	DocScore    float64           `json:"doc_score"`
	DocSoft     float64           `json:"doc_soft"`
	F1          float64           `json:"f1"`
	Asked       int               `json:"asked"`
	Filled      int               `json:"filled"`
	Calibration score.Calibration `json:"calibration"`
	Confident   []score.Confident `json:"confident"`
	Timing      Timing            `json:"timing"`

	Model *fieldlift.ModelUse `json:"model,omitempty"` // what it took, where one took part
}

// Timing is the time that pages took, of one worker, in milliseconds.
type Timing struct {
	Pages     int     `json:"pages"`
	ReadMs    float64 `json:"read_ms_per_page"`
	EngineMs  float64 `json:"engine_ms_per_page"`
	WholeMs   float64 `json:"whole_ms_per_page"`
	SlowestMs float64 `json:"engine_ms_slowest_document"`

	reading, finding time.Duration
}

func (t *Timing) add(pages int, reading, finding, slowest time.Duration) {
	t.Pages += pages
	t.reading += reading
	t.finding += finding
	n := float64(max(1, t.Pages))
	t.ReadMs, t.EngineMs, t.WholeMs = ms(t.reading)/n, ms(t.finding)/n, ms(t.reading+t.finding)/n
	t.SlowestMs = max(t.SlowestMs, ms(slowest))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Miss is a value that is not right, for people who look for the reason.
type Miss struct {
	Set, File string
	score.Value
	Place fieldlift.FieldMetadata // where it was found; zero when omitted
}

// Grade scores outcomes, set by set in their order. It also gives all values
// that are not right.
func Grade(outcomes []Outcome) (Report, []Miss) {
	report := Report{Version: fieldlift.Version, Sets: []Set{}}
	var misses []Miss
	var grades []score.Grade
	for rest := outcomes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Case.Set == rest[0].Case.Set {
			n++
		}
		g := grader{set: Set{Name: rest[0].Case.Set, Failed: []Failed{}}}
		for _, o := range rest[:n] {
			g.add(o)
		}
		g.set.Report = g.scores.Report()
		report.Sets = append(report.Sets, g.set)
		misses = append(misses, g.misses...)
		grades = append(grades, g.scores.Grades()...)
		rest = rest[n:]
	}
	report.All = sumUp(report.Sets, grades)
	for _, o := range outcomes {
		report.All.Model = report.All.Model.Plus(o.Model)
	}
	return report, misses
}

func sumUp(sets []Set, grades []score.Grade) All {
	all := All{Calibration: score.Calibrate(grades), Confident: score.Confidents(grades)}
	n := float64(max(1, len(sets)))
	for _, s := range sets {
		all.DocScore += s.DocScore / n
		all.DocSoft += s.DocSoft / n
		all.F1 += s.F1 / n
		all.Asked += s.Asked
		all.Filled += s.Filled
		all.Timing.add(s.Timing.Pages, s.Timing.reading, s.Timing.finding, time.Duration(s.Timing.SlowestMs*float64(time.Millisecond)))
	}
	return all
}

// grader gathers one set.
type grader struct {
	set    Set
	scores score.Set
	misses []Miss
}

func (g *grader) add(o Outcome) {
	if o.Err != nil {
		g.set.Failed = append(g.set.Failed, Failed{o.Case.File, sentence(o.Err)})
	}
	g.set.Timing.add(o.Pages, o.Reading, o.Finding, o.Finding)
	for i := range max(len(o.Case.Expected), len(o.Returned)) {
		prefix := ""
		if o.Case.Wanted.ResultMode == fieldlift.OnePerPage {
			prefix = fmt.Sprintf("/pages/%d", i)
		}
		card := score.Document(o.Case.Fields, at(o.Case.Expected, i), at(o.Returned, i))
		g.scores.Add(card, i < len(o.Returned), func(path string) (float64, bool) {
			m, ok := o.Metadata[prefix+path]
			return m.Confidence, ok
		})
		g.set.Asked += len(o.Case.Fields)
		for _, m := range card.Fields {
			if m.Count.Returned > 0 {
				g.set.Filled++
			}
		}
		for _, v := range card.Values {
			if v.Verdict != score.Right {
				v.Path = prefix + v.Path
				g.misses = append(g.misses, Miss{o.Case.Set, o.Case.File, v, o.Metadata[v.Path]})
			}
		}
	}
}

func at(objects []*score.Object, i int) *score.Object {
	if i < len(objects) {
		return objects[i]
	}
	return nil
}

// sentence is what people are told of an error.
func sentence(err error) string {
	if told, ok := errors.AsType[*fieldlift.Error](err); ok {
		return told.Message
	}
	return err.Error()
}
