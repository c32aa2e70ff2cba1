package reader

import (
	"strings"

	"fieldlift/internal/page"
)

// Bounds for forms. The largest that authorities print have a few hundred
// fields to a page.
const (
	mostFields  = 2_000 // of a page
	mostOptions = 500   // of a list

	// What PDFium is let to print by itself.
	mostPrintedFields = 500
	mostPrintedBytes  = 1 << 16
)

// openForm gives PDFium's handle of the document's form, 0 when there is none.
// Only documents that have one pay for it.
func (d *document) openForm() uint64 {
	if d.soughtForm {
		return d.form
	}
	d.soughtForm = true
	if d.number("FPDF_GetFormType", d.handle) == 0 {
		return 0
	}
	// The form's host: a version, and then calls back, of which reading needs none.
	// It must stay where it is as long as the document does.
	const size = 256
	host := d.allocate(size)
	if view := d.at(host, size); view != nil {
		clear(view)
		view[0] = 1
	}
	d.form = d.call("FPDFDOC_InitFormFillEnvironment", d.handle, uint64(host))
	return d.form
}

// What PDFium calls the kinds of annotations and form fields, and PDF the flags
// of either.
const (
	annotationWidget = 20

	annotationHidden = 1 << 1
	annotationNoView = 1 << 5

	fieldPassword = 1 << 13

	fieldPushButton = 1
)

func fieldKind(number int) page.FieldKind {
	return map[int]page.FieldKind{
		2: page.FieldCheckbox, 3: page.FieldRadio, 4: page.FieldCombo,
		5: page.FieldList, 6: page.FieldText, 7: page.FieldSignature,
	}[number]
}

// fields reads the form's fields on the page. It must be done before the page
// is flattened, which takes them away.
func (s *sheet) fields() []page.FormField {
	w := widgets{sheet: s}
	for at := range s.number("FPDFPage_GetAnnotCount", s.handle) {
		if s.err != nil || len(w.found) >= mostFields {
			break
		}
		w.handle = s.call("FPDFPage_GetAnnot", s.handle, uint64(at))
		if w.handle != 0 && s.number("FPDFAnnot_GetSubtype", w.handle) == annotationWidget {
			w.form = s.openForm()
			w.add(at)
		}
		s.call("FPDFPage_CloseAnnot", w.handle)
	}
	w.show()
	return w.found
}

// widgets is the reading of the fields where they stand on a page.
type widgets struct {
	*sheet
	form   uint64
	handle uint64 // of the one at hand
	found  []page.FormField
	places []int // of the found among the page's annotations
	bytes  int   // of all texts
	shy    bool  // whether there is a tick to be asked for, or a value that is not printed
}

// add reads the widget at hand, unless it is nothing to fill in or cannot be
// seen.
func (w *widgets) add(at int) {
	if w.number("FPDFAnnot_GetFlags", w.handle)&(annotationHidden|annotationNoView) != 0 ||
		w.call("FPDFAnnot_GetRect", w.handle, w.out(0)) == 0 {
		return
	}
	left, top, right, bottom := w.float32(0), w.float32(1), w.float32(2), w.float32(3)
	box, ok := visible(w.box(rectangle{min(left, right), min(top, bottom), max(left, right), max(top, bottom)}))
	if !ok {
		return
	}
	number := w.ofForm("FPDFAnnot_GetFormFieldType")
	f := page.FormField{Kind: fieldKind(number), Box: box}
	switch f.Kind {
	case page.FieldText:
		if w.ofForm("FPDFAnnot_GetFormFieldFlags")&fieldPassword == 0 {
			f.Value = w.text("FPDFAnnot_GetFormFieldValue")
		}
	case page.FieldCombo, page.FieldList:
		f.Value = w.choice()
	case page.FieldCheckbox, page.FieldRadio:
		w.state(&f)
	case page.FieldSignature:
		f.Checked = w.has("V")
	default:
		if f, ok = w.stray(f, number); !ok {
			return
		}
	}
	if f.Name == "" {
		f.Name, f.Label = w.text("FPDFAnnot_GetFormFieldName"), w.text("FPDFAnnot_GetFormFieldAlternateName")
	}
	w.found, w.places = append(w.found, f), append(w.places, at)
	w.shy = w.shy || f.Written() && !w.has("AP") || f.Kind == page.FieldCheckbox || f.Kind == page.FieldRadio
}

// show has PDFium get the page ready to be filled in. It then prints fields that
// hold a value but no picture of it, and knows what each box stands for. Since
// it takes its time over that, forms without bounds are left as they are.
func (w *widgets) show() {
	if !w.shy || w.form == 0 || len(w.found) > mostPrintedFields || w.bytes > mostPrintedBytes {
		return
	}
	w.call("FORM_OnAfterLoadPage", w.sheet.handle, w.form)
	for n, at := range w.places {
		f := &w.found[n]
		if f.Kind != page.FieldCheckbox && f.Kind != page.FieldRadio {
			continue
		}
		w.handle = w.call("FPDFPage_GetAnnot", w.sheet.handle, uint64(at))
		if value := w.text("FPDFAnnot_GetFormFieldExportValue"); value != "" {
			f.Value, f.Checked = value, w.ofForm("FPDFAnnot_IsChecked") > 0
		}
		w.call("FPDFPage_CloseAnnot", w.handle)
	}
	w.call("FORM_OnBeforeClosePage", w.sheet.handle, w.form)
}

// state reads what a box to tick says of itself.
func (w *widgets) state(f *page.FormField) {
	if state := w.entry("AS"); state != "" && state != "Off" {
		f.Value, f.Checked = state, true
	}
}

// stray reads a field of which the form does not know, as some programs leave
// them: by what the widget says of itself.
func (w *widgets) stray(f page.FormField, number int) (page.FormField, bool) {
	f.Name, f.Label = w.entry("T"), w.entry("TU")
	switch {
	case number == fieldPushButton:
		return f, false
	case w.entry("FT") == "Tx":
		f.Kind, f.Value = page.FieldText, w.entry("V")
	case w.entry("FT") == "Btn" && w.has("AS"):
		f.Kind = page.FieldCheckbox
		w.state(&f)
	}
	return f, f.Kind != ""
}

// choice gives the chosen options as people see them, or what was typed instead.
func (w *widgets) choice() string {
	var chosen []string
	for at := range min(w.ofForm("FPDFAnnot_GetOptionCount"), mostOptions) {
		if w.call("FPDFAnnot_IsOptionSelected", w.form, w.handle, uint64(at)) == 1 {
			chosen = append(chosen, w.string("FPDFAnnot_GetOptionLabel", w.form, w.handle, uint64(at)))
		}
	}
	if len(chosen) == 0 {
		return w.text("FPDFAnnot_GetFormFieldValue")
	}
	return strings.Join(chosen, "\n")
}

// ofForm asks the form for a number about the field.
func (w *widgets) ofForm(function string) int { return w.number(function, w.form, w.handle) }

// text asks the form for a text about the field.
func (w *widgets) text(function string) string { return w.string(function, w.form, w.handle) }

// entry reads a text that the widget holds under a key.
func (w *widgets) entry(key string) string {
	return w.string("FPDFAnnot_GetStringValue", w.handle, w.key(key))
}

func (w *widgets) has(key string) bool { return w.call("FPDFAnnot_HasKey", w.handle, w.key(key)) != 0 }

// key writes a short name where a call can read it.
func (w *widgets) key(name string) uint64 {
	if view := w.at(w.scratch, 64); view != nil {
		view[copy(view[:63], name)] = 0
	}
	return w.out(0)
}

// string reads a text about the widget.
func (w *widgets) string(function string, arguments ...uint64) string {
	text, length := w.wide(function, arguments...)
	w.bytes += length
	return text
}
