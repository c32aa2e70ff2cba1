package fieldlift

import (
	"cmp"
	"slices"
	"time"
)

// Day is a day in UTC, counted since 1970.
type Day int64

const dayLength = 24 * time.Hour

// DayOf is the day of a moment.
func DayOf(t time.Time) Day { return Day(t.Unix() / int64(dayLength/time.Second)) }

// Time is the moment at which the day begins.
func (d Day) Time() time.Time { return time.Unix(int64(d)*int64(dayLength/time.Second), 0).UTC() }

func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// Days is a span of days, the first and the last included.
type Days struct{ First, Last Day }

// LastDays are so many days up to that of now.
func LastDays(now time.Time, n int) Days {
	last := DayOf(now)
	return Days{last - Day(n) + 1, last}
}

// Usage is what came of the documents that ended in some time.
type Usage struct {
	Documents int64 // well or not
	Pages     int64
	Failures  int64
	Took      time.Duration // all documents together
	speeds    []UsageCount
}

// UsageCount is a part of a Usage: the documents of about the same speed.
type UsageCount struct {
	Within    time.Duration // a SpeedStep
	Documents int64
	Pages     int64
	Failures  int64
	Took      time.Duration // all of them together
}

// speedSteps are the classes of processing times. A migration has them too, so
// they stay as they are.
var speedSteps = []time.Duration{
	10 * time.Millisecond, 15 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond, 50 * time.Millisecond, 70 * time.Millisecond,
	100 * time.Millisecond, 150 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond, 700 * time.Millisecond,
	1 * time.Second, 1500 * time.Millisecond, 2 * time.Second, 3 * time.Second, 5 * time.Second, 7 * time.Second,
	10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second, 50 * time.Second, 70 * time.Second,
	100 * time.Second, 150 * time.Second, 200 * time.Second, 300 * time.Second, 500 * time.Second, 700 * time.Second, 1000 * time.Second,
	9_000_000_000 * time.Second, // longer than any
}

// SpeedStep is the least step that a processing time does not pass.
func SpeedStep(took time.Duration) time.Duration {
	i, _ := slices.BinarySearch(speedSteps, took.Truncate(time.Millisecond))
	return speedSteps[min(i, len(speedSteps)-1)]
}

// Add counts more documents.
func (u *Usage) Add(c UsageCount) {
	u.Documents += c.Documents
	u.Pages += c.Pages
	u.Failures += c.Failures
	u.Took += c.Took
	i, found := slices.BinarySearchFunc(u.speeds, c.Within, func(a UsageCount, step time.Duration) int { return cmp.Compare(a.Within, step) })
	if !found {
		u.speeds = slices.Insert(u.speeds, i, UsageCount{Within: c.Within})
	}
	speed := &u.speeds[i]
	speed.Documents += c.Documents
	speed.Pages += c.Pages
	speed.Failures += c.Failures
	speed.Took += c.Took
}

// Merge counts all that another one has.
func (u *Usage) Merge(other Usage) {
	for _, c := range other.speeds {
		u.Add(c)
	}
}

// Mean is how long a document took on average.
func (u Usage) Mean() time.Duration {
	if u.Documents == 0 {
		return 0
	}
	return u.Took / time.Duration(u.Documents)
}

// Quantile tells within which time this share of the documents was done. Only
// steps are kept, so it is right to a fifth or so: documents are taken to lie
// evenly between two steps.
func (u Usage) Quantile(share float64) time.Duration {
	wanted := share * float64(u.Documents)
	for _, speed := range u.speeds {
		if documents := float64(speed.Documents); wanted > documents {
			wanted -= documents
			continue
		} else if documents == 0 {
			continue
		}
		i, _ := slices.BinarySearch(speedSteps, speed.Within)
		if i == len(speedSteps)-1 { // open above: their mean is all that is known
			return speed.Took / time.Duration(speed.Documents)
		}
		least := time.Duration(0)
		if i > 0 {
			least = speedSteps[i-1]
		}
		return least + time.Duration(wanted/float64(speed.Documents)*float64(speed.Within-least))
	}
	return 0
}

// UsageDay is what an account used on a day. Documents count on the day on
// which they end, credits on that on which they are charged.
type UsageDay struct {
	Day     Day
	Usage   Usage
	Credits int64
}

// ParserUsage is what a parser was used for in some time.
type ParserUsage struct {
	ParserID string
	Name     string
	Deleted  bool
	Usage    Usage
}
