package score

import (
	"cmp"
	"slices"
)

// Report sums up a set of documents. Shares are 0 to 1.
type Report struct {
	Cases             int           `json:"cases"`
	WithoutPrediction int           `json:"without_prediction"`
	DocScore          float64       `json:"doc_score"`    // the mean of the documents' scores
	DocScore95        [2]float64    `json:"doc_score_95"` // where it would lie for other documents of the kind
	DocSoft           float64       `json:"doc_soft"`
	AllRight          float64       `json:"all_right"` // documents without any mistake
	Precision         float64       `json:"precision"`
	Recall            float64       `json:"recall"`
	F1                float64       `json:"f1"`
	RowF1             *float64      `json:"row_f1"`
	Values            int           `json:"values"`
	Omitted           int           `json:"omitted"`
	Invented          int           `json:"invented"`
	Fields            []FieldReport `json:"fields"`
	Calibration       Calibration   `json:"calibration"`
	Confident         []Confident   `json:"confident"`
}

// FieldReport sums up one field over a set, wherever it is expected or
// returned.
type FieldReport struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Docs     int      `json:"docs"`
	Values   int      `json:"values"`
	Exact    *float64 `json:"exact"` // null when no value was expected
	ANLS     *float64 `json:"anls"`
	F1       float64  `json:"f1"`
	RowF1    *float64 `json:"row_f1,omitempty"`
	Omitted  int      `json:"omitted"`
	Invented int      `json:"invented"`
}

// Set gathers the scores of documents that belong together.
type Set struct {
	cases, missing, perfect int
	scores, softs           []float64
	count                   Count
	fields                  []Mark // sums, in the order of their first appearance
	docs                    map[string]int
	grades                  []Grade
}

// Add takes a document in. Returned says whether there was an answer at all;
// confidence gives that of a returned value by its path, false when it has
// none.
func (s *Set) Add(c Card, returned bool, confidence func(path string) (float64, bool)) {
	s.cases++
	if !returned {
		s.missing++
	}
	for _, v := range c.Values {
		if v.Verdict == Omitted {
			continue
		}
		if sure, ok := confidence(v.Path); ok {
			s.grades = append(s.grades, Grade{sure, v.Verdict == Right})
		}
	}
	if len(c.Fields) == 0 {
		return // nothing expected, nothing returned
	}
	s.scores = append(s.scores, c.Score)
	s.softs = append(s.softs, c.Soft)
	if !slices.ContainsFunc(c.Fields, func(m Mark) bool { return m.Score < 1 }) {
		s.perfect++
	}
	for _, m := range c.Fields {
		s.count.add(m.Count)
		s.addField(m)
	}
}

func (s *Set) addField(m Mark) {
	if s.docs == nil {
		s.docs = map[string]int{}
	}
	if s.docs[m.Name]++; s.docs[m.Name] == 1 {
		s.fields = append(s.fields, m)
		return
	}
	i := slices.IndexFunc(s.fields, func(f Mark) bool { return f.Name == m.Name })
	s.fields[i].Count.add(m.Count)
}

// Grades are the confidences of all values that were returned with one.
func (s *Set) Grades() []Grade { return s.grades }

// Report sums up. The fields that most documents have come first.
func (s *Set) Report() Report {
	n := float64(max(1, len(s.scores)))
	r := Report{
		Cases: s.cases, WithoutPrediction: s.missing,
		DocScore: sum(s.scores) / n, DocScore95: interval(s.scores), DocSoft: sum(s.softs) / n, AllRight: float64(s.perfect) / n,
		Precision: s.count.Precision(), Recall: s.count.Recall(), F1: s.count.F1(), RowF1: rowF1(s.count),
		Values: s.count.Values, Omitted: s.count.Omitted, Invented: s.count.Invented,
		Fields: []FieldReport{}, Calibration: Calibrate(s.grades), Confident: Confidents(s.grades),
	}
	for _, m := range s.fields {
		f := FieldReport{
			Name: m.Name, Type: m.Type, Docs: s.docs[m.Name], Values: m.Count.Values, F1: m.Count.F1(), RowF1: rowF1(m.Count),
			Omitted: m.Count.Omitted, Invented: m.Count.Invented,
		}
		if m.Count.Values > 0 {
			f.Exact, f.ANLS = new(m.Count.Recall()), new(m.Count.Soft/float64(m.Count.Values))
		}
		r.Fields = append(r.Fields, f)
	}
	slices.SortStableFunc(r.Fields, func(a, b FieldReport) int { return cmp.Compare(b.Docs, a.Docs) })
	return r
}

func rowF1(c Count) *float64 {
	if f1, ok := c.RowF1(); ok {
		return &f1
	}
	return nil
}

func sum(values []float64) float64 {
	var total float64
	for _, v := range values {
		total += v
	}
	return total
}
