package dashboard

import (
	"math"
	"strings"

	"fieldlift"
)

// chart is a picture of days as bars, drawn by templates/parts/chart.html. Its
// sizes are in units of their own: a bar has dayWidth, the whole chartHeight.
type chart struct {
	Title       string
	Width       int
	Top, Middle string // what the lines at the top and in the middle stand for
	First, Last fieldlift.Day
	Figures     []series
	Bars        []bar
	Empty       bool // all is zero
}

// bar is a day.
type bar struct {
	X     int
	Title string // what it says to who points at it
	Parts []barPart
}

// barPart is what a bar is made of, from the bottom up.
type barPart struct {
	Class     string
	Y, Height float64
}

const (
	dayWidth    = 10
	chartHeight = 100
)

// series is a figure of each day.
type series struct {
	Class string // how its part of the bar looks
	Name  string // what is counted
	Of    func(fieldlift.UsageDay) float64
}

// newChart draws figures of days on top of each other. Each figure is written
// by a function.
func newChart(title string, days []fieldlift.UsageDay, write func(float64) string, figures ...series) chart {
	c := chart{Title: title, Width: dayWidth * len(days), First: days[0].Day, Last: days[len(days)-1].Day, Figures: figures}
	highest := 0.0
	for _, d := range days {
		sum := 0.0
		for _, f := range figures {
			sum += f.Of(d)
		}
		highest = max(highest, sum)
	}
	c.Empty = highest == 0
	top := roundUp(highest)
	c.Top, c.Middle = write(top), write(top/2)
	for i, d := range days {
		b := bar{X: i * dayWidth}
		said := make([]string, 0, len(figures))
		y := float64(chartHeight)
		for _, f := range figures {
			value := f.Of(d)
			said = append(said, write(value)+" "+f.Name)
			if height := value / top * chartHeight; height > 0 {
				height = max(height, 1) // little is not nothing
				y -= height
				b.Parts = append(b.Parts, barPart{f.Class, y, height})
			}
		}
		b.Title = d.Day.Time().Format("2 Jan 2006") + ": " + strings.Join(said, ", ")
		c.Bars = append(c.Bars, b)
	}
	return c
}

// roundUp gives the least of 2, 4, 6, 8, 10, 20, 40 … that is not less: their
// halves are whole.
func roundUp(value float64) float64 {
	if value <= 2 {
		return 2
	}
	power := math.Pow(10, math.Floor(math.Log10(value)))
	for _, step := range []float64{1, 2, 4, 6, 8, 10} {
		if step*power >= value {
			return step * power
		}
	}
	return 10 * power
}

// count writes a number of things; halves are shown on axes only.
func count(value float64) string { return grouped(int64(math.Round(value))) }
