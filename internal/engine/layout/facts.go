package layout

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"fieldlift/internal/value"
)

// typedSpan is a date or an amount that was found by its look.
type typedSpan struct {
	span
	value    any
	number   float64 // of an amount
	currency string
	percent  bool
	cents    bool // printed with two decimals
	order    int  // among the values of its segment
	of       int  // how many the segment has
}

// facts is what is known of a document before any field is asked for.
type facts struct {
	dates, amounts []typedSpan
	sums           map[int64]sumRole // by amount in cents
	largest        float64
	firstDay       string
	lastDay        string
	median, top    float64 // font sizes
	printed        map[string]int
	trade          float64            // how much it speaks the language of trade, 0 to 1
	hosts          map[string]float64 // names in web and e-mail addresses, by how often they stand there, 1 for the most frequent
	mailboxes      string             // what stands before the @ of e-mail addresses, folded, with spaces between
	parties        map[string]string  // of what stands below the title of a party: whose it is
	filled         []bool             // by page: its form was filled in
}

// sumRole says what an amount is among the others.
type sumRole struct {
	isSum, isPart bool
	isSettled     bool // it is what was paid, less the change
}

// mostTyped bounds what is compared with one another.
const mostTyped = 4000

// longestName is the most words that a party's name has.
const longestName = 8

// leastFilled is how many words make a page one that was filled in.
const leastFilled = 6

func (x *extraction) gatherFacts() {
	f := &x.facts
	f.printed, f.parties = map[string]int{}, map[string]string{}
	var sizes []float64
	for i := range x.segments {
		s := x.segments[i]
		if len(f.dates) < mostTyped {
			f.dates = append(f.dates, x.datesIn(s.span)...)
		}
		if len(f.amounts) < mostTyped {
			f.amounts = append(f.amounts, x.amountsIn(s.span)...)
		}
		text := normal(x.text(s.span))
		f.printed[text]++
		if x.lines[s.line].page == 0 && s.to-s.from <= longestName {
			if party := x.partyAt(s.line, s.box); party != "" {
				f.parties[text] = party
			}
		}
		if r, ok := x.untilMark(s.span); ok {
			f.printed[normal(r.value.(string))]++ // a name before its address
		}
	}
	f.filled = make([]bool, len(x.pages))
	filled, hosts := make([]int, len(x.pages)), map[string]int{}
	for _, w := range x.words {
		sizes = append(sizes, w.Size)
		if at := x.lines[w.line].page; isFilled(w.Word) {
			filled[at]++
			f.filled[at] = filled[at] >= leastFilled
		}
		if at := strings.LastIndexByte(w.Text, '@'); at > 0 {
			hosts[hostName(w.Text[at+1:])]++
			f.mailboxes += " " + value.Fold(w.Text[:at])
		} else if url, ok := value.URL(w.Text); ok {
			hosts[hostName(url)]++
		}
	}
	f.rateHosts(hosts)
	if len(sizes) > 0 {
		slices.Sort(sizes)
		f.median, f.top = sizes[len(sizes)/2], sizes[len(sizes)-1]
	}
	for i, d := range f.dates {
		day := d.value.(string)
		if i == 0 || day < f.firstDay {
			f.firstDay = day
		}
		f.lastDay = max(f.lastDay, day)
	}
	f.findSums()
	f.trade = x.speaksTrade()
}

// hostName is the name that a web address is registered under, without what
// stands before it and the country or kind after it: "shop.acme.co.uk" is
// "acme".
func hostName(address string) string {
	_, host, found := strings.Cut(address, "://")
	if !found {
		host = address
	}
	host, _, _ = strings.Cut(host, "/")
	parts := strings.Split(strings.Trim(host, ".,;:<>()"), ".")
	n := len(parts) - 1
	if n > 1 && len(parts[n-1]) <= 3 && len(parts[n]) == 2 {
		n--
	}
	return normal(parts[max(n-1, 0)])
}

// rateHosts keeps the hosts with the share that they have of the most frequent.
// Everyone has addresses at those who carry mail.
func (f *facts) rateHosts(hosts map[string]int) {
	const mailHosts = " gmail yahoo hotmail outlook icloud googlemail mail "
	most := 0
	for _, n := range hosts {
		most = max(most, n)
	}
	f.hosts = map[string]float64{}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		if n := hosts[host]; len(host) >= 4 && len(f.hosts) < 40 && !strings.Contains(mailHosts, " "+host+" ") {
			f.hosts[host] = float64(n) / float64(most)
		}
	}
}

// tradeWords are concepts that papers of trade print.
const tradeWords = " invoice receipt order total subtotal tax vat price quantity item payment cash change discount due delivery customer vendor "

// speaksTrade tells how many different words of trade the document has; six
// are as good as all.
func (x *extraction) speaksTrade() float64 {
	const enough, mostWords = 6, 3000
	seen, heard := map[string]bool{}, map[string]bool{}
	for _, w := range x.words[:min(len(x.words), mostWords)] {
		for _, word := range split(w.Text) {
			if seen[word] {
				continue
			}
			seen[word] = true
			for _, c := range x.lexicon.word(word) {
				if strings.Contains(tradeWords, " "+c+" ") {
					heard[c] = true
				}
			}
		}
	}
	return min(1, float64(len(heard))/enough)
}

// findSums looks for amounts that two others add up to: a total is made of a
// subtotal and a tax.
func (f *facts) findSums() {
	const most = 120 // different amounts, the largest
	seen := map[int64]bool{}
	var cents []int64
	for _, a := range f.amounts {
		f.largest = max(f.largest, a.number)
		if c := int64(math.Round(a.number * 100)); c > 0 && a.number < 1e12 && !a.percent && !seen[c] {
			seen[c] = true
			cents = append(cents, c)
		}
	}
	slices.Sort(cents)
	if len(cents) > most {
		cents = cents[len(cents)-most:]
	}
	f.sums = map[int64]sumRole{}
	for i, a := range cents {
		for _, b := range cents[:i] {
			if seen[a+b] && b*50 >= a { // a tax is no less than two in a hundred
				f.sums[a+b] = sumRole{isSum: true, isPart: f.sums[a+b].isPart}
				f.sums[a] = sumRole{isSum: f.sums[a].isSum, isPart: true}
				f.sums[b] = sumRole{isSum: f.sums[b].isSum, isPart: true}
			}
		}
	}
}

// longestDate is the most words that a date has.
const longestDate = 6

// datesIn finds the dates of a span, also two that a dash joins.
func (d *document) datesIn(s span) []typedSpan {
	var found []typedSpan
	for i := s.from; i < s.to; {
		n := d.dateAt(i, s.to, &found)
		i += max(n, 1)
	}
	for i := range found {
		found[i].order, found[i].of = i, len(found)
	}
	return found
}

// dateAt reads the longest date that begins with a word and gives the number
// of its words.
func (d *document) dateAt(i, end int, found *[]typedSpan) int {
	if !d.words[i].opensDate {
		return 0
	}
	for n := min(longestDate, end-i); n > 0; n-- {
		s := span{i, i + n}
		if n > 1 && !d.words[s.to-1].endsDate {
			continue
		}
		if v, ok := value.Date(d.text(s), d.locale); ok {
			*found = append(*found, typedSpan{span: s, value: v})
			return n
		}
	}
	first := d.words[i].Text
	for _, dash := range []string{"-", "–", "—"} {
		if a, b, ok := strings.Cut(first, dash); ok && strings.ContainsAny(a, "/.") {
			from, okFrom := value.Date(a, d.locale)
			to, okTo := value.Date(b, d.locale)
			if okFrom && okTo {
				s := span{i, i + 1}
				*found = append(*found, typedSpan{span: s, value: from}, typedSpan{span: s, value: to})
				return 1
			}
		}
	}
	return 0
}

// longestAmount is the most words that an amount has: a sign, groups of
// figures, a currency.
const longestAmount = 4

// amountsIn finds the numbers of a span that are no part of a date.
func (d *document) amountsIn(s span) []typedSpan {
	var found []typedSpan
	var dates []typedSpan
	for i := s.from; i < s.to; {
		if n := d.dateAt(i, s.to, &dates); n > 1 || n == 1 && strings.ContainsAny(d.words[i].Text, "/.-") {
			i += n
			continue
		}
		a, ok := d.amountAt(i, s.to)
		if ok {
			found = append(found, a)
			i = a.to
			continue
		}
		i++
	}
	for i := range found {
		found[i].order, found[i].of = i, len(found)
	}
	return found
}

func (d *document) amountAt(i, end int) (typedSpan, bool) {
	if first := d.words[i]; !first.figures && len(first.Text) > 4 {
		return typedSpan{}, false
	}
	for n := min(longestAmount, end-i); n > 0; n-- {
		s := span{i, i + n}
		if !d.hasDigits(s) {
			break
		}
		text := d.text(s)
		if p, ok := value.Percent(text, d.locale); ok {
			f, _ := p.Float64()
			return typedSpan{span: s, value: p, number: f, percent: true}, true
		}
		if m, ok := value.Money(text, d.locale); ok {
			f, _ := m.Number.Float64()
			_, fraction, _ := strings.Cut(string(m.Number), ".")
			return typedSpan{span: s, value: m.Number, number: f, currency: m.Currency, cents: len(fraction) == 2}, true
		}
	}
	return typedSpan{}, false
}

// normal is a text as it is compared with others: folded, letters and figures
// only.
func normal(text string) string {
	var b strings.Builder
	for _, w := range split(text) {
		b.WriteString(w)
	}
	return b.String()
}

// saying is what a value says, however it is written: values that say the
// same have equal ones.
func saying(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case string:
		return normal(v)
	}
	return v
}

// saying is that of a value of the document, whose looks are known.
func (x *extraction) saying(v any) any {
	if text, ok := v.(string); ok {
		return x.lookOf(text).normal
	}
	return saying(v)
}

// sameValue reports whether two readings say the same.
func sameValue(a, b any) bool { return a == b || saying(a) == saying(b) }
