package reader

import (
	"cmp"
	"slices"
	"strings"

	"fieldlift/internal/einvoice"
)

// mostAttachments is how many of a document's attachments are looked at.
const mostAttachments = 50

// attachment is a file within a PDF.
type attachment struct {
	handle uint64
	name   string // in lower case
}

// invoice gives the invoice that the document carries as XML, nil if there is
// none. Whatever is wrong with it, the pages are what they are, so that it is as
// if it were not there.
func (d *document) invoice() *einvoice.Invoice {
	var found []attachment
	for at := range min(d.number("FPDFDoc_GetAttachmentCount", d.handle), mostAttachments) {
		a := attachment{handle: d.call("FPDFDoc_GetAttachment", d.handle, uint64(at))}
		name, _ := d.wide("FPDFAttachment_GetName", a.handle)
		if a.name = strings.ToLower(name); strings.HasSuffix(a.name, ".xml") {
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b attachment) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, a := range found {
		if invoice, err := einvoice.Parse(d.content(a)); err == nil {
			return invoice
		}
	}
	return nil
}

// rank puts the names that the standards demand before those that others chose.
func (a attachment) rank() int {
	names := []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"}
	if at := slices.Index(names, a.name); at >= 0 {
		return at
	}
	return len(names)
}

// content gives an attachment's bytes, none if they are more than an invoice's.
func (d *document) content(a attachment) []byte {
	if d.call("FPDFAttachment_GetFile", a.handle, 0, 0, d.out(0)) == 0 {
		return nil
	}
	view := d.at(d.scratch, 4)
	if view == nil {
		return nil
	}
	length := uint32(view[0]) | uint32(view[1])<<8 | uint32(view[2])<<16 | uint32(view[3])<<24
	if length == 0 || length > einvoice.MaxBytes {
		return nil
	}
	buffer := d.allocate(uint64(length))
	if d.call("FPDFAttachment_GetFile", a.handle, uint64(buffer), uint64(length), d.out(0)) == 0 {
		return nil
	}
	content := slices.Clone(d.at(buffer, length))
	d.call("free", uint64(buffer))
	return content
}
