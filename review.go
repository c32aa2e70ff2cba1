package fieldlift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Review is a result with what persons have said about it. The original never
// changes; the result is made of it and of the corrections that hold, so that
// any of them can be taken back at any time.
type Review struct {
	Corrections []Correction

	fields   []Field
	perPage  bool
	original Result
	root     *part
}

// NewReview takes up the review of a document's result. The corrections are
// those of its earlier reviews, in their order.
func NewReview(x Extraction, original Result, corrections []Correction) (*Review, error) {
	r := &Review{
		Corrections: corrections, fields: x.Schema.Fields(), perPage: x.ResultMode == OnePerPage, original: original,
	}
	return r, r.rebuild()
}

// rebuild makes the result anew from the original.
func (r *Review) rebuild() error {
	value, err := parseJSON(r.original.Data)
	if err != nil {
		return fmt.Errorf("read the original result: %w", err)
	}
	data, ok := value.(*object)
	if !ok {
		return errors.New("the original result is no object")
	}
	b := partBuilder{metadata: r.original.Metadata}
	if r.perPage {
		r.root = b.pages(data, r.fields)
	} else {
		r.root = b.object("", r.fields, data)
	}
	for _, c := range r.Corrections {
		if err := r.apply(c); err != nil {
			return err
		}
	}
	return nil
}

// Do makes an amendment, or refuses it and changes nothing.
func (r *Review) Do(a Amendment, by string, at time.Time) error {
	if len(r.Corrections) >= MaxCorrections {
		return Errorf(Conflict, "The document has %d corrections, and takes no more.", MaxCorrections)
	}
	c := Correction{
		Number: 1, Kind: a.Kind, Pointer: a.Pointer, Value: json.RawMessage("null"), Original: json.RawMessage("null"), By: by, At: at,
	}
	if n := len(r.Corrections); n > 0 {
		c.Number = r.Corrections[n-1].Number + 1
	}
	var err error
	switch a.Kind {
	case CorrectionSet:
		err = r.set(&c, a)
	case CorrectionAccept:
		err = r.accept(&c)
	case CorrectionRemove:
		err = r.remove(&c)
	case CorrectionAdd:
		err = r.add(&c, a)
	default:
		err = refuseAmendment(a.Pointer, "enum", "there is no correction %q", a.Kind)
	}
	if err != nil {
		return err
	}
	r.Corrections = append(r.Corrections, c)
	return r.apply(c)
}

func (r *Review) set(c *Correction, a Amendment) error {
	at, err := r.find(c.Pointer)
	if err != nil {
		return err
	}
	if !at.part.isScalar() {
		return refuseAmendment(c.Pointer, "type", "only a single value can be set; rows are added and removed")
	}
	value, err := checkValue(at.part.field, c.Pointer, a.Value)
	if err != nil {
		return err
	}
	c.Place, c.Original, c.Value = at.place, at.part.text(), textOfValue(value)
	return nil
}

func (r *Review) accept(c *Correction) error {
	at, err := r.find(c.Pointer)
	if err != nil {
		return err
	}
	c.Place, c.Original = at.place, at.part.text()
	c.Value = c.Original
	return nil
}

func (r *Review) remove(c *Correction) error {
	at, err := r.find(c.Pointer)
	if err != nil {
		return err
	}
	if at.row == nil {
		return refuseAmendment(c.Pointer, "type", "only a row of an array can be removed")
	}
	if at.of.fixed {
		return refuseAmendment(c.Pointer, "type", "the pages of a document cannot be removed")
	}
	c.Place, c.Original = at.place, at.part.text()
	return nil
}

func (r *Review) add(c *Correction, a Amendment) error {
	parent, last, ok := cutPointer(c.Pointer)
	if !ok {
		return noSuchPlace(c.Pointer)
	}
	at, err := r.find(parent)
	if err != nil {
		return err
	}
	of := at.part
	if of.kind != arrayPart || of.fixed {
		return refuseAmendment(c.Pointer, "type", "rows can be added to arrays only")
	}
	present := of.present()
	index := len(present)
	if last != "-" {
		if index, err = strconv.Atoi(last); err != nil || index < 0 || index > len(present) {
			return noSuchPlace(c.Pointer)
		}
	}
	c.Pointer = parent + "/" + strconv.Itoa(index)
	value, err := checkValue(of.element(), c.Pointer, a.Value)
	if err != nil {
		return err
	}
	c.Place = at.place + "/" + c.rowStep()
	if index > 0 {
		c.After = present[index-1].step
	}
	c.Value = textOfValue(value)
	return nil
}

// rowStep is how the row that the correction added is named in places.
func (c Correction) rowStep() string { return "+" + strconv.FormatInt(c.Number, 10) }

// TakeBack undoes a correction. Of a single value all that were made of it go,
// and the original stands there again.
func (r *Review) TakeBack(number int64, by string, at time.Time) error {
	i := slices.IndexFunc(r.Corrections, func(c Correction) bool { return c.Number == number })
	if i < 0 {
		return Errorf(ResourceNotFound, "There is no correction %d of this document.", number)
	}
	if !r.Corrections[i].Holds() {
		return Errorf(Conflict, "The correction was taken back before.")
	}
	r.Corrections = slices.Clone(r.Corrections)
	taken := r.Corrections[i]
	for n := range r.Corrections {
		c := &r.Corrections[n]
		alike := taken.Kind == CorrectionSet && c.Place == taken.Place && (c.Kind == CorrectionSet || c.Kind == CorrectionAccept)
		if c.Holds() && (n == i || alike) {
			c.TakenBackBy, c.TakenBackAt = by, at
		}
	}
	return r.rebuild()
}

// Holds reports whether any correction holds: the document was reviewed.
func (r *Review) Holds() bool { return slices.ContainsFunc(r.Corrections, Correction.Holds) }

// apply brings a correction into the result. What was done to a row that is
// not there (any more) changes nothing.
func (r *Review) apply(c Correction) error {
	if c.Kind == CorrectionAdd {
		return r.applyAdd(c)
	}
	at, found := r.at(c.Place)
	if !found {
		return nil
	}
	switch {
	case c.Kind == CorrectionSet && !c.Holds():
		at.part.takenBack = c.TakenBackAt
	case c.Kind == CorrectionSet:
		value, err := parseJSON(c.Value)
		if err != nil {
			return err
		}
		at.part.value = value
		at.part.review(c)
	case c.Kind == CorrectionAccept && c.Holds():
		at.part.eachScalar(func(p *part) {
			// Who looked at a value first stays named. What was taken back later is not the value that was accepted.
			if p.reviewed == nil && p.takenBack.Before(c.At) {
				p.review(c)
			}
		})
	case c.Kind == CorrectionRemove && c.Holds():
		at.row.absent = true
	}
	return nil
}

// applyAdd adds a row. One that was taken back keeps its place, because other
// rows may stand after it, but is not there.
func (r *Review) applyAdd(c Correction) error {
	parent, _, _ := cutPointer(c.Place)
	at, found := r.at(parent)
	if !found {
		return nil
	}
	value, err := parseJSON(c.Value)
	if err != nil {
		return err
	}
	var b partBuilder
	added := &row{step: c.rowStep(), part: b.part("", at.part.element(), value), absent: !c.Holds()}
	added.part.eachScalar(func(p *part) {
		p.original = nil
		if p.value != nil { // what was left out is still to be said
			p.review(c)
		}
	})
	before := slices.IndexFunc(at.part.rows, func(one *row) bool { return one.step == c.After })
	at.part.rows = slices.Insert(at.part.rows, before+1, added)
	return nil
}

// Result is the result as it is now, but for its validation, which is not this
// package's to know.
func (r *Review) Result() Result {
	if !r.Holds() {
		return r.original
	}
	out := Result{Metadata: map[string]FieldMetadata{}, Pages: r.original.Pages}
	var b bytes.Buffer
	r.root.write(&b)
	out.Data = b.Bytes()
	var pages float64
	count := 0
	for _, one := range r.sheets() {
		var m ConfidenceMean
		for i, member := range one.part.members {
			member.eachPlace(one.pointer+"/"+EscapeStep(one.part.keys[i]), func(pointer string, p *part) {
				if metadata, ok := p.shown(); ok {
					out.Metadata[pointer] = metadata
					m.Value(metadata.Confidence)
				}
			})
			if member.kind != foreignPart {
				m.Field(member.field.Required)
			}
		}
		pages += m.Mean()
		count++
	}
	out.Confidence = pages / float64(max(count, 1))
	return out
}

// Checked reports whether a person has looked at every value that is there.
func (r *Review) Checked() bool {
	checked := true
	r.root.eachScalar(func(p *part) { checked = checked && (p.reviewed != nil || p.value == nil) })
	return checked && r.Holds()
}

// sheets are the objects that have the schema's fields: one, or one for each
// page.
func (r *Review) sheets() []spot {
	if !r.perPage {
		return []spot{{part: r.root}}
	}
	var found []spot
	for i, one := range r.root.members[0].present() {
		found = append(found, spot{part: one.part, pointer: "/" + pagesKey + "/" + strconv.Itoa(i)})
	}
	return found
}

func refuseAmendment(pointer, issue, format string, args ...any) error {
	if pointer == "" {
		pointer = "/"
	}
	return Invalid(Detail{Field: pointer, Issue: issue, Message: pointer + ": " + fmt.Sprintf(format, args...) + "."})
}

func noSuchPlace(pointer string) error {
	return Errorf(ResourceNotFound, "There is no value %s in this document.", pointer)
}
