package fieldlift

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSpendTakesSoonestExpiryFirst(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	debits, err := Spend([]Purchase{
		{ID: "never", Remaining: 100, PurchasedAt: day(1)},
		{ID: "late", Remaining: 5, PurchasedAt: day(2), ExpiresAt: day(30)},
		{ID: "soon", Remaining: 5, PurchasedAt: day(3), ExpiresAt: day(20)},
		{ID: "older", Remaining: 5, PurchasedAt: day(2), ExpiresAt: day(20)},
		{ID: "empty", Remaining: 0, PurchasedAt: day(1), ExpiresAt: day(10)},
	}, 18)
	if got := fmt.Sprint(debits); err != nil || got != "[{older 5} {soon 5} {late 5} {never 3}]" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestSpendIsAllOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var purchases []Purchase
		var available int64
		for i := range rapid.IntRange(0, 8).Draw(t, "purchases") {
			remaining := rapid.Int64Range(0, 50).Draw(t, "remaining")
			available += remaining
			purchases = append(purchases, Purchase{
				ID: fmt.Sprint(i), Remaining: remaining,
				ExpiresAt: time.Unix(rapid.Int64Range(0, 3).Draw(t, "expires"), 0),
			})
		}
		credits := rapid.Int64Range(0, 300).Draw(t, "credits")
		debits, err := Spend(purchases, credits)
		if credits > available {
			if CodeOf(err) != InsufficientCredits || debits != nil {
				t.Fatalf("%d of %d: %v, %v", credits, available, debits, err)
			}
			return
		}
		var sum int64
		for _, d := range debits {
			sum += d.Credits
			if d.Credits < 1 {
				t.Fatalf("a debit of %d", d.Credits)
			}
			for _, p := range purchases {
				if p.ID == d.PurchaseID && d.Credits > p.Remaining {
					t.Fatalf("%d are taken from %d", d.Credits, p.Remaining)
				}
			}
		}
		if err != nil || sum != credits {
			t.Fatalf("%d of %d: %v, %v", credits, available, debits, err)
		}
	})
}

func TestTooFewCreditsNamesBothNumbers(t *testing.T) {
	_, err := Spend([]Purchase{{ID: "a", Remaining: 3}}, 12)
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Details) != 2 || e.Details[0] != (Detail{"required", "12", "12 credits are required."}) || e.Details[1] != (Detail{"available", "3", "3 credits are available."}) {
		t.Errorf("%+v", err)
	}
}
