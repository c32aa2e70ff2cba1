package layout

import (
	"math"
	"strings"
	"testing"

	"fieldlift/internal/engine"
)

// TestWeights holds the learned file to the program: every piece of evidence
// has a row, every row is evidence, and more score never means less confidence.
func TestWeights(t *testing.T) {
	m, err := parseModel(weightsText)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(weightsText) {
		name, _, _ := strings.Cut(line, "\t")
		rows[name]++
	}
	for _, name := range append(featureNames[:], absentNames[:]...) {
		if rows[name] != 1 {
			t.Errorf("%s has %d rows", name, rows[name])
		}
	}
	for name, knots := range map[string][]knot{"calibration": m.calibration, "cells": m.cells} {
		if len(knots) == 0 {
			t.Errorf("there is no %s", name)
		}
		before := 0.0
		for score := 0.0; score <= 1; score += 0.001 {
			right := calibrated(knots, score)
			if right < before || right > 1 || math.IsNaN(right) {
				t.Fatalf("%s gives %v for %v after %v", name, right, score, before)
			}
			before = right
		}
	}
}

func TestWeightsThatAreWrong(t *testing.T) {
	for name, text := range map[string]string{
		"unknown evidence": "no_such_thing\t1" + strings.Repeat("\t", int(classCount)) + "\n",
		"too few numbers":  "label_asked\t1\t2\n",
		"no number":        "label_asked\tx\n",
		"other columns":    "evidence\tall\n",
		"half a knot":      "calibration\t0.5\n",
	} {
		if _, err := parseModel(text); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func FuzzWeights(f *testing.F) {
	f.Add(weightsText)
	f.Add("calibration\t0.5\t0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := parseModel(text); (m == nil) == (err == nil) {
			t.Errorf("%v, %v", m, err)
		}
	})
}

// TestExplanationsAreOfTheAnswer holds what is explained as chosen to what is
// extracted.
func TestExplanationsAreOfTheAnswer(t *testing.T) {
	e := New()
	for _, d := range madeDocuments(t) {
		answer, err := e.Extract(t.Context(), d.request())
		if err != nil {
			t.Fatal(err)
		}
		explained, err := e.Explain(t.Context(), d.request())
		if err != nil {
			t.Fatal(err)
		}
		got := leaves(t, answer.Data)
		for _, x := range explained {
			if _, isList := answer.Metadata[x.Pointer+"/0"]; isList {
				continue
			}
			var chosen []engine.Candidate
			total := x.Absent
			for _, c := range x.Candidates {
				total += c.Probability
				if c.Chosen {
					chosen = append(chosen, c)
				}
				if len(c.Evidence) == 0 {
					t.Errorf("%s%s: nothing speaks for %v", d.name, x.Pointer, c.Value)
				}
			}
			if total > 1+1e-6 || x.Absent < -1e-6 {
				t.Errorf("%s%s: probabilities make %v", d.name, x.Pointer, total)
			}
			value, given := got[x.Pointer]
			switch {
			case !given && len(chosen) > 0:
				t.Errorf("%s%s: %v is chosen and not given", d.name, x.Pointer, chosen[0].Value)
			case given && len(chosen) == 0:
				t.Errorf("%s%s: %v is given and not explained", d.name, x.Pointer, value)
			case given && !sameValue(chosen[0].Value, value):
				t.Errorf("%s%s: %v is chosen, %v given", d.name, x.Pointer, chosen[0].Value, value)
			}
		}
	}
}
