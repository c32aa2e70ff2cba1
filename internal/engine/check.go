package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/internal/value"
)

// checksum warns of an account, tax or card number whose check digits are
// wrong. Which a field holds is told by its name.
func (v *validator) checksum(path string, f fieldlift.Field, text string) {
	words := nameWords(f.Name)
	has := func(word string) bool { return slices.Contains(words, word) }
	var ok bool
	var what string
	switch {
	case has("iban"):
		_, ok = value.IBAN(text)
		what = "IBAN"
	case has("card") && has("number"):
		figures := strings.Map(func(r rune) rune {
			if r == ' ' || r == '-' {
				return -1
			}
			return r
		}, text)
		if len(figures) < 13 || strings.Trim(figures, "0123456789") != "" {
			return // masked: it cannot be checked
		}
		_, ok = value.Luhn(figures)
		what = "card number"
	default:
		return
	}
	if !ok {
		v.warn(path, "checksum", "the check digits of this %s are wrong", what)
	}
}

func (v *validator) warn(path, rule, format string, args ...any) {
	v.found = append(v.found, fieldlift.Violation{
		Path: path, Rule: rule, Severity: fieldlift.SeverityWarning, Message: fmt.Sprintf(format, args...) + ".",
	})
}

// sumNames tell the parts of a sum by the names of their fields, without marks.
var sumNames = struct{ total, net, tax, extra, less, lines []string }{
	total: []string{"total", "totalamount", "grandtotal", "grosstotal", "totalgross", "grossamount", "invoicetotal", "totaldue"},
	net:   []string{"subtotal", "nettotal", "totalnet", "netamount", "subtotalamount", "totalnetamount"},
	tax:   []string{"tax", "taxamount", "totaltax", "vat", "vatamount", "totalvat", "taxtotal", "salestax", "gst"},
	extra: []string{"shipping", "shippingcost", "shippingamount", "freight", "tip", "rounding", "servicecharge", "handling"},
	less:  []string{"discount", "discountamount", "totaldiscount"},
	lines: []string{"amount", "linetotal", "total", "netamount", "lineamount", "totalprice", "linenet"},
}

// arithmetic warns where the sums of an object do not come out: net and tax
// make the total, and the lines make the net.
func (v *validator) arithmetic(path string, fields []fieldlift.Field, object map[string]any) {
	total, totalName, hasTotal := amountOf(fields, object, sumNames.total)
	net, netName, hasNet := amountOf(fields, object, sumNames.net)
	tax, _, hasTax := amountOf(fields, object, sumNames.tax)
	extra, _, _ := amountOf(fields, object, sumNames.extra)
	less, _, _ := amountOf(fields, object, sumNames.less)
	if hasTotal && hasNet && hasTax {
		sum := net + tax + extra
		if !near(sum, total, 2) && !near(sum-math.Abs(less), total, 2) {
			v.warn(path+"/"+Escape(totalName), "arithmetic", "%s and tax make %s, not %s", netName, plain(net+tax), plain(total))
		}
	}
	lines, count := linesOf(fields, object)
	if count == 0 {
		return
	}
	switch {
	case hasNet && !near(lines, net, count) && !(hasTotal && near(lines, total, count)) && !near(lines-math.Abs(less), net, count) && !near(lines+extra, net, count):
		v.warn(path+"/"+Escape(netName), "arithmetic", "the lines make %s, not %s", plain(lines), plain(net))
	case !hasNet && !hasTax && hasTotal && lines < total && !asksFor(fields, sumNames.net) && !asksFor(fields, sumNames.tax):
		// What is missing may be the tax, of which nothing was asked.
	case !hasNet && !hasTax && hasTotal && !near(lines, total, count) && !near(lines-math.Abs(less)+extra, total, count):
		v.warn(path+"/"+Escape(totalName), "arithmetic", "the lines make %s, not %s", plain(lines), plain(total))
	}
}

// near allows for a cent of rounding in each part.
func near(a, b float64, parts int) bool { return math.Abs(a-b) <= 0.011*float64(max(parts, 1)) }

func plain(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// asksFor tells whether there is a field with one of the names.
func asksFor(fields []fieldlift.Field, names []string) bool {
	return slices.ContainsFunc(fields, func(f fieldlift.Field) bool { return isNamed(f, names) })
}

// isNamed tells an amount by its field's name.
func isNamed(f fieldlift.Field, names []string) bool {
	return f.Type == fieldlift.NumberField && slices.Contains(names, strings.Join(nameWords(f.Name), ""))
}

// amountOf gives the amount of the first field that has one of the names.
func amountOf(fields []fieldlift.Field, object map[string]any, names []string) (amount float64, field string, ok bool) {
	for _, name := range names {
		for _, f := range fields {
			if !isNamed(f, []string{name}) {
				continue
			}
			if n, isNumber := object[f.Name].(json.Number); isNumber {
				if amount, err := n.Float64(); err == nil {
					return amount, f.Name, true
				}
			}
		}
	}
	return 0, "", false
}

// linesOf adds the amounts of a table's rows up, if each has one.
func linesOf(fields []fieldlift.Field, object map[string]any) (sum float64, count int) {
	for _, f := range fields {
		list, isList := object[f.Name].([]any)
		if !isList || f.Items == nil || f.Items.Type != fieldlift.ObjectField || !slices.Contains(nameWords(f.Name), "items") && !slices.Contains(nameWords(f.Name), "lines") {
			continue
		}
		for _, element := range list {
			row, _ := element.(map[string]any)
			amount, _, ok := amountOf(f.Items.Fields, row, sumNames.lines)
			if !ok {
				return 0, 0
			}
			sum += amount
			count++
		}
		return sum, count
	}
	return 0, 0
}

// nameWords parts a field's name into its words, in lower case.
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && lower || r == '_' || r == '-' || r == '.' || r == '/' {
			b.WriteByte(' ')
		}
		lower = !upper
		b.WriteRune(r)
	}
	return strings.Fields(strings.NewReplacer("_", " ", "-", " ", ".", " ", "/", " ").Replace(strings.ToLower(b.String())))
}
