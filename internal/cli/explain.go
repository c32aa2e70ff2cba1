package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"fieldlift/internal/app"
	"fieldlift/internal/engine"
)

// explainFields prints for each file what was considered for the fields, and
// why one value won.
func (o extractOptions) explainFields(ctx context.Context, w io.Writer, extractor *app.Extractor) error {
	for _, file := range o.files {
		explanations, err := extractor.Explain(ctx, file, o.wanted)
		if err != nil {
			return fmt.Errorf("%s: %s", file, explain(err))
		}
		told := 0
		for _, e := range explanations {
			if o.explain == "all" || strings.Trim(e.Pointer, "/") == strings.Trim(o.explain, "/") {
				told++
				if err := writeExplanation(w, file, e); err != nil {
					return err
				}
			}
		}
		if told == 0 {
			return fmt.Errorf("--explain: no field outside of tables is called %q", o.explain)
		}
	}
	return nil
}

// mostEvidence is how much of a candidate's evidence is printed: what counts
// most.
const mostEvidence = 12

func writeExplanation(w io.Writer, file string, e engine.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, as a %s\n", file, e.Pointer, strings.ReplaceAll(e.Class, "_", " "))
	for _, c := range e.Candidates {
		if c.Probability < 0.0005 && !c.Chosen {
			continue
		}
		mark := " "
		if c.Chosen {
			mark = "*"
		}
		label := "without a label"
		if c.Label != "" {
			label = fmt.Sprintf("by the label %q", c.Label)
		}
		fmt.Fprintf(&b, " %s %.3f  %v  (page %d, %s)\n", mark, c.Probability, c.Value, c.Place.Page, label)
		slices.SortStableFunc(c.Evidence, func(a, o engine.Evidence) int {
			return int(math.Copysign(1, math.Abs(o.Value*o.Weight)-math.Abs(a.Value*a.Weight)))
		})
		b.WriteString("           ")
		for _, v := range c.Evidence[:min(len(c.Evidence), mostEvidence)] {
			fmt.Fprintf(&b, " %s %+.1f", v.Name, v.Value*v.Weight)
		}
		b.WriteByte('\n')
	}
	mark := " "
	if !slices.ContainsFunc(e.Candidates, func(c engine.Candidate) bool { return c.Chosen }) {
		mark = "*"
	}
	fmt.Fprintf(&b, " %s %.3f  nothing\n\n", mark, e.Absent)
	_, err := io.WriteString(w, b.String())
	return err
}
