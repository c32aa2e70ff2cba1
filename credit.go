package fieldlift

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Source says where credits came from.
type Source string

// The sources of credits.
const (
	SourcePurchase Source = "purchase"
	SourceGrant    Source = "grant"
	SourceSignup   Source = "signup"
)

// Purchase is a lot of credits, spent until it is empty or expires.
type Purchase struct {
	ID          string
	AccountID   string
	Source      Source
	Credits     int64 // as bought
	Remaining   int64 // never below zero
	PurchasedAt time.Time
	ExpiresAt   time.Time // zero: never
}

// MaxCredits is the most credits of one purchase: sums stay far from overflow,
// and exact in JSON readers that know only floating-point numbers.
const MaxCredits = 1_000_000_000_000

// Charge is what one act cost. Subject is the id of what was paid for; an act
// is charged once, so a second charge for the same subject changes nothing.
type Charge struct {
	Subject   string
	AccountID string
	Credits   int64
	ChargedAt time.Time
}

// Debit is the part of a charge that one purchase bears.
type Debit struct {
	PurchaseID string
	Credits    int64
}

// Balance is what an account can spend, and what it has spent.
type Balance struct {
	Available int64      // the sum of what remains in Purchases
	Used      int64      // everything ever charged
	Purchases []Purchase // the active ones, in the order of spending
}

// SortForSpending puts purchases into the order in which they are spent:
// soonest expiry first, those that never expire last, then oldest first.
func SortForSpending(purchases []Purchase) {
	slices.SortFunc(purchases, func(a, b Purchase) int {
		if a.ExpiresAt.IsZero() != b.ExpiresAt.IsZero() {
			if a.ExpiresAt.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), a.PurchasedAt.Compare(b.PurchasedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Spend divides a charge of credits among active purchases, in the order of
// spending. It is all or nothing: too little is INSUFFICIENT_CREDITS.
func Spend(purchases []Purchase, credits int64) ([]Debit, error) {
	purchases = slices.Clone(purchases)
	SortForSpending(purchases)
	var debits []Debit
	left := credits
	for _, p := range purchases {
		if part := min(left, p.Remaining); part > 0 {
			debits = append(debits, Debit{PurchaseID: p.ID, Credits: part})
			left -= part
		}
	}
	if left > 0 {
		return nil, tooFewCredits(credits, credits-left)
	}
	return debits, nil
}

func tooFewCredits(required, available int64) *Error {
	return &Error{
		Code:    InsufficientCredits,
		Message: fmt.Sprintf("This needs %d credits; %d are available.", required, available),
		Details: []Detail{
			{Field: "required", Issue: strconv.FormatInt(required, 10), Message: fmt.Sprintf("%d credits are required.", required)},
			{Field: "available", Issue: strconv.FormatInt(available, 10), Message: fmt.Sprintf("%d credits are available.", available)},
		},
	}
}
