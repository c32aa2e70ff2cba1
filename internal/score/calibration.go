package score

import "math"

// Grade is a returned value's confidence, and whether it was right.
type Grade struct {
	Confidence float64
	Right      bool
}

// Calibration tells whether confidences mean what they say: of the values
// with 0.9, nine of ten should be right.
type Calibration struct {
	Values int     `json:"values"` // returned with a confidence
	Error  float64 `json:"error"`  // the expected calibration error: the mean distance of confidence from being right
	Bins   []Bin   `json:"bins"`   // those that have values
}

// Bin is the values whose confidence lies in a range.
type Bin struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Values     int     `json:"values"`
	Confidence float64 `json:"confidence"` // their mean
	Right      float64 `json:"right"`      // the share of them that is
}

// bins are ten, as is usual for the expected calibration error.
const bins = 10

// Calibrate sorts values into ranges of confidence.
func Calibrate(grades []Grade) Calibration {
	var table [bins]Bin
	for _, g := range grades {
		b := &table[min(max(int(g.Confidence*bins), 0), bins-1)]
		b.Values++
		b.Confidence += g.Confidence
		if g.Right {
			b.Right++
		}
	}
	c := Calibration{Values: len(grades), Bins: []Bin{}}
	for i, b := range table {
		if b.Values == 0 {
			continue
		}
		n := float64(b.Values)
		c.Error += math.Abs(b.Right-b.Confidence) / float64(len(grades))
		c.Bins = append(c.Bins, Bin{float64(i) / bins, float64(i+1) / bins, b.Values, b.Confidence / n, b.Right / n})
	}
	return c
}

// Confident is what can be had when only values of some confidence are taken.
type Confident struct {
	AtLeast  float64 `json:"at_least"`
	Values   int     `json:"values"`
	Coverage float64 `json:"coverage"` // the share of returned values that they are
	Right    float64 `json:"right"`    // their precision
}

// levels are the confidences that people draw their lines at.
var levels = [...]float64{0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}

// Confidents gives the precision at each level of confidence.
func Confidents(grades []Grade) []Confident {
	all := []Confident{}
	for _, level := range levels {
		c := Confident{AtLeast: level}
		right := 0
		for _, g := range grades {
			if g.Confidence < level {
				continue
			}
			c.Values++
			if g.Right {
				right++
			}
		}
		c.Coverage = ratio(float64(c.Values), float64(len(grades)))
		c.Right = ratio(float64(right), float64(c.Values))
		all = append(all, c)
	}
	return all
}
