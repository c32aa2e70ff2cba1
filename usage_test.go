package fieldlift_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fieldlift"
)

func TestDays(t *testing.T) {
	late := time.Date(2026, 3, 1, 23, 59, 59, 999_999_000, time.UTC)
	if got := fieldlift.DayOf(late).String(); got != "2026-03-01" {
		t.Error(got)
	}
	if got := fieldlift.DayOf(late.In(time.FixedZone("", 3600))).String(); got != "2026-03-01" {
		t.Error("days are those of UTC, not ", got)
	}
	span := fieldlift.LastDays(late, 30)
	if span.First.String() != "2026-01-31" || span.Last.String() != "2026-03-01" {
		t.Errorf("%v to %v", span.First, span.Last)
	}
}

func TestSpeedSteps(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0:                         10 * time.Millisecond,
		10_999 * time.Microsecond: 10 * time.Millisecond, // milliseconds are what is kept
		11 * time.Millisecond:     15 * time.Millisecond,
		time.Second:               time.Second,
		1001 * time.Millisecond:   1500 * time.Millisecond,
	} {
		if got := fieldlift.SpeedStep(took); got != want {
			t.Errorf("%v is within %v, want %v", took, got, want)
		}
	}
	if got := fieldlift.SpeedStep(time.Hour); got < 24*time.Hour {
		t.Errorf("an hour is within %v", got)
	}
}

func TestQuantilesAreNearTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []float64{0.1, 1, 3} {
		var u fieldlift.Usage
		var all []time.Duration
		for range 2000 {
			took := time.Duration((1 + spread*random.ExpFloat64()) * float64(200*time.Millisecond)).Truncate(time.Millisecond)
			all = append(all, took)
			u.Add(fieldlift.UsageCount{Within: fieldlift.SpeedStep(took), Documents: 1, Pages: 2, Took: took})
		}
		slices.Sort(all)
		for _, share := range []float64{0.5, 0.95} {
			want, got := all[int(share*float64(len(all)))], u.Quantile(share)
			if off := float64(got)/float64(want) - 1; off < -0.25 || off > 0.25 {
				t.Errorf("the quantile %v is %v, told as %v", share, want, got)
			}
		}
		if u.Documents != 2000 || u.Pages != 4000 || u.Mean() < 200*time.Millisecond {
			t.Errorf("%d documents, %d pages, %v on average", u.Documents, u.Pages, u.Mean())
		}
	}
	var a, b fieldlift.Usage
	a.Add(fieldlift.UsageCount{Within: time.Second, Documents: 1, Pages: 2, Failures: 1, Took: time.Second})
	b.Add(fieldlift.UsageCount{Within: time.Second, Documents: 3, Pages: 4, Took: time.Second})
	b.Add(fieldlift.UsageCount{Within: 2 * time.Second, Documents: 1, Took: 2 * time.Second})
	if a.Merge(b); a.Documents != 5 || a.Pages != 6 || a.Failures != 1 || a.Took != 4*time.Second || b.Documents != 4 {
		t.Errorf("%+v", a)
	}
	if none := (fieldlift.Usage{}); none.Quantile(0.95) != 0 || none.Mean() != 0 {
		t.Error("nothing took some time")
	}
	var slow fieldlift.Usage
	slow.Add(fieldlift.UsageCount{Within: fieldlift.SpeedStep(time.Hour), Documents: 2, Took: 2 * time.Hour})
	if got := slow.Quantile(0.95); got != time.Hour {
		t.Errorf("two hours of two documents: %v", got)
	}
}
