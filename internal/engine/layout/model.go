package layout

import (
	_ "embed" // weights.tsv
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// weightsText is what was learned from labelled documents: for each piece of
// evidence its weight, for all fields and on top of that for each class, and
// how often values of a certain score were right. `fieldlift learn` writes it.
//
//go:embed weights.tsv
var weightsText string

// model turns evidence into probabilities.
type model struct {
	weights     [classCount]weights // for all classes and for the class, added up
	calibration []knot
	cells       []knot
}

// weights are those of the evidence, and of there being nothing.
type weights struct {
	evidence [featureCount]float64
	absent   [absentCount]float64
}

// absentFeature is evidence that a field has no value in a document.
type absentFeature int

const (
	absentAlways absentFeature = iota
	absentLabel                // how well the best label fits, 0 to 1
	absentFit                  // the share of the schema's fields that have a label, 0 to 1
	absentOthers               // how probable it is that the schema's other fields have values, 0 to 1
	absentTrade                // a field of papers of trade, and the document has none of their words: 0 to 1
	absentCount
)

var absentNames = [absentCount]string{"absent", "absent_label", "absent_fit", "absent_others", "absent_trade"}

// knot is a point of the line from a score to the share of right values.
type knot struct{ score, right float64 }

func newModel() *model {
	m, err := parseModel(weightsText)
	if err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	return m
}

// parseModel reads weights as formatModel writes them. Rows of evidence that
// no longer exists are an error: they would mislead whoever reads the file.
func parseModel(text string) (*model, error) {
	m := &model{}
	columns := []string{"all"}
	columns = append(columns, classNames[:]...)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		var values []float64
		if cells[0] != "evidence" {
			for _, cell := range cells[1:] {
				v, err := strconv.ParseFloat(cell, 64)
				if cell != "" && err != nil {
					return nil, fmt.Errorf("weights: %q of %s is no number", cell, cells[0])
				}
				values = append(values, v)
			}
		}
		switch cells[0] {
		case "evidence":
			if !slices.Equal(cells[1:], columns) {
				return nil, fmt.Errorf("weights: the columns are %v", cells[1:])
			}
		case "calibration", "cells":
			if len(values) != 2 {
				return nil, fmt.Errorf("weights: %s has %d numbers", cells[0], len(values))
			}
			k := knot{values[0], values[1]}
			if cells[0] == "cells" {
				m.cells = append(m.cells, k)
			} else {
				m.calibration = append(m.calibration, k)
			}
		default:
			if len(values) != len(columns) {
				return nil, fmt.Errorf("weights: %s has %d numbers", cells[0], len(values))
			}
			if err := m.set(cells[0], values); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func (m *model) set(name string, values []float64) error {
	if f := slices.Index(featureNames[:], name); f >= 0 {
		for c := range m.weights {
			m.weights[c].evidence[f] = values[0] + values[c+1]
		}
		return nil
	}
	if f := slices.Index(absentNames[:], name); f >= 0 {
		for c := range m.weights {
			m.weights[c].absent[f] = values[0] + values[c+1]
		}
		return nil
	}
	return fmt.Errorf("weights: %q is no evidence", name)
}

// score adds the evidence up.
func (w *weights) score(e *features) float64 {
	var sum float64
	for i, v := range e {
		if v != 0 {
			sum += w.evidence[i] * float64(v)
		}
	}
	return sum
}

func (w *weights) absence(e *[absentCount]float64) float64 {
	var sum float64
	for i, v := range e {
		sum += w.absent[i] * v
	}
	return sum
}

// spread makes probabilities of scores, the last of which is that of there
// being nothing. Of candidates that say the same the best one counts, so that
// what a table repeats is not surer than what is said once.
func spread(scores []float64, said []int, sayings int) []float64 {
	best := make([]int, sayings)
	for i := range best {
		best[i] = -1
	}
	top := scores[len(scores)-1]
	for j, s := range said {
		if best[s] < 0 || scores[j] > scores[best[s]] {
			best[s] = j
		}
		top = max(top, scores[j])
	}
	p := make([]float64, len(scores))
	last := len(scores) - 1
	p[last] = math.Exp(scores[last] - top)
	sum := p[last]
	for _, j := range best {
		if j >= 0 {
			p[j] = math.Exp(scores[j] - top)
			sum += p[j]
		}
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// calibrated gives the share of right values among those of a score, from the
// line through the knots.
func calibrated(knots []knot, score float64) float64 {
	if len(knots) == 0 {
		return score
	}
	i, _ := slices.BinarySearchFunc(knots, score, func(k knot, s float64) int {
		if k.score < s {
			return -1
		}
		return 1
	})
	switch {
	case i == 0:
		return knots[0].right
	case i == len(knots):
		return knots[i-1].right
	}
	a, b := knots[i-1], knots[i]
	return a.right + (b.right-a.right)*(score-a.score)/(b.score-a.score)
}

// sure gives the share of right values among cells of tables, elements of lists
// and members of blocks that score as much.
func (x *extraction) sure(score float64) float64 { return calibrated(x.model.cells, score) }

// formatWeights writes weights as parseModel reads them.
func formatWeights(p *parameters, calibration, cells []knot, figures []Figure) string {
	var b strings.Builder
	b.WriteString("# What evidence weighs: for all fields, and what each class of fields adds. Written by `fieldlift learn`.\n")
	b.WriteString("# Fields of documents that were left out while learning:\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "# %s: %d fields, %d right, %d wrong, %d omitted, %d invented\n", f.Set, f.Fields, f.Right, f.Wrong, f.Omitted, f.Invented)
	}
	b.WriteString("evidence\tall\t" + strings.Join(classNames[:], "\t") + "\n")
	names := append(append([]string(nil), featureNames[:]...), absentNames[:]...)
	for i, name := range names {
		b.WriteString(name)
		fmt.Fprintf(&b, "\t%.3g", p.all[i])
		for c := range classCount {
			if v := p.class[c][i]; abs(v) >= 0.005 {
				fmt.Fprintf(&b, "\t%.3g", v)
			} else {
				b.WriteString("\t")
			}
		}
		b.WriteString("\n")
	}
	for _, k := range calibration {
		fmt.Fprintf(&b, "calibration\t%g\t%g\n", k.score, k.right)
	}
	for _, k := range cells {
		fmt.Fprintf(&b, "cells\t%g\t%g\n", k.score, k.right)
	}
	return b.String()
}
