package engine

import "fieldlift"

// Explanation says for one field what was considered and why one value won.
type Explanation struct {
	Pointer    string      `json:"pointer"`
	Class      string      `json:"class"`  // what kind of thing the field asks for
	Absent     float64     `json:"absent"` // the probability of there being nothing
	Candidates []Candidate `json:"candidates"`
}

// Candidate is a value that was considered.
type Candidate struct {
	Value       any                     `json:"value"`
	Place       fieldlift.FieldMetadata `json:"place"`
	Label       string                  `json:"label"` // as printed; "" when it has none
	Probability float64                 `json:"probability"`
	Chosen      bool                    `json:"chosen"`
	Evidence    []Evidence              `json:"evidence"`
}

// Evidence is one thing that speaks for a candidate, or against it.
type Evidence struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
}
