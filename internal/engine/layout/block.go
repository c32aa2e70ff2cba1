package layout

import (
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/value"
)

// Blocks are what stands below one another under the name of an array, each
// with a time: the jobs and schools of a person. They have no heads and no
// labels, but every one is written as the others are.

const (
	blockConfidence = 0.7
	mostBlocks      = 200
	longestEntry    = 14  // words on a line that names something
	titleShare      = 0.6 // of the words of an array's name that its title must have
)

// blockField is what a field of a block asks for, by its name.
type blockField int

const (
	otherField blockField = iota
	startField
	endField
	bodyField // the school, the company
	roleField // the degree, the position
)

const (
	bodyNames = " institution school university college company employer organization organisation firm "
	roleNames = " title position role degree qualification job occupation diploma "
	// bodyWords and roleWords are what such names have in them.
	bodyWords = " university college school institute academy universitat hochschule universite universidad universita inc ltd llc llp gmbh ag sa plc corp corporation group partners bank company co associates foundation hospital "
	roleWords = " bachelor master doctor phd ba bs bsc ma ms msc mba md jd llm llb diploma degree certificate diplom licence laurea "
	// workTitles and schoolTitles are what stands over jobs and over schools.
	workTitles   = " experience employment career work appointments berufserfahrung berufspraxis experiencia esperienza esperienze experiencias werkervaring doswiadczenie "
	schoolTitles = " education studies ausbildung bildung studium formation formacion educacion istruzione formazione educacao formacao opleiding opleidingen wyksztalcenie "
	// stillWords end a time that has not ended.
	stillWords = " present current now today heute actualidad presente oggi obecnie heden "
)

func blockFieldOf(f fieldlift.Field) blockField {
	words := split(f.Name)
	has := func(list string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(list, " "+w+" ") })
	}
	switch {
	case has(" start from begin since "):
		return startField
	case has(" end to until graduation ") || slices.Equal(words, []string{"date"}) || slices.Equal(words, []string{"year"}):
		return endField
	case has(bodyNames):
		return bodyField
	case has(roleNames):
		return roleField
	}
	return otherField
}

// readBlocks finds the elements of an array of objects that is no table.
func (x *extraction) readBlocks(t int) {
	fields := map[blockField]int{}
	for _, target := range x.tables[t] {
		if f := blockFieldOf(x.targets[target].field); f != otherField {
			if _, taken := fields[f]; !taken {
				fields[f] = target
			}
		}
	}
	_, dated := fields[endField]
	if _, starts := fields[startField]; !dated && !starts || len(fields) < 2 {
		return
	}
	for i := range x.segments {
		if x.entitles(t, i) {
			if x.rows[t] = x.blocksBelow(t, i, fields); len(x.rows[t]) > 0 {
				return
			}
		}
	}
}

// entitles reports whether a segment is the title of what an array holds.
func (x *extraction) entitles(t, at int) bool {
	s := x.segments[at]
	if s.to-s.from > 4 || len(x.arrays[t]) == 0 || !isUpper(x.label(s.span)) && !x.words[s.from].Bold && s.box.X0 != x.lines[s.line].box.X0 {
		return false
	}
	printed := x.labels.lexicon.concepts(x.label(s.span))
	for _, titles := range []string{workTitles, schoolTitles} {
		is := func(c string) bool { return strings.Contains(titles, " "+c+" ") }
		if slices.ContainsFunc(x.arrays[t], is) && slices.ContainsFunc(split(x.label(s.span)), is) && len(printed) <= 3 {
			return true
		}
	}
	found := 0
	for _, c := range x.arrays[t] {
		if slices.Contains(printed, c) {
			found++
		}
	}
	return float64(found) >= titleShare*float64(len(x.arrays[t])) && len(printed) <= 2*found+1
}

// blocksBelow reads the blocks below a title until another title follows.
func (x *extraction) blocksBelow(t, title int, fields map[blockField]int) []engine.Found {
	label := x.segments[title]
	var entries []blockLine
	for at := label.line + 1; at < len(x.lines) && len(entries) < mostBlocks*10; at++ {
		i := x.segmentUnder(label, at)
		if i < 0 {
			continue
		}
		if x.isTitle(i, label) || x.entitlesOther(t, i) {
			break
		}
		entries = append(entries, x.lineAt(i))
	}
	var found []engine.Found
	last := -1 // the entry that the block before ended with
	for n, e := range entries {
		when, ok := x.periodIn(e.span)
		if !ok || e.bulleted {
			continue
		}
		if e, ok := x.blockAt(entries, n, last, when, fields); ok && len(found) < mostBlocks {
			found = append(found, e)
		}
		last = n
	}
	return found
}

func (x *extraction) entitlesOther(t, at int) bool {
	for o := range x.arrays {
		if o != t && x.entitles(o, at) {
			return true
		}
	}
	return false
}

// blockLine is a line of a block.
type blockLine struct {
	span
	x0       float64
	bulleted bool
	colon    bool
}

// lineAt takes a segment and those that follow it on its line: gaps inside of
// a line are wider than spaces, and narrower than between columns of a page.
func (x *extraction) lineAt(i int) blockLine {
	const columnGap = 0.04 // in widths of a page
	s := x.segments[i]
	_, bulleted := x.withoutBullet(i)
	e := blockLine{s.span, s.box.X0, bulleted || s.to-s.from == 1 && len(x.words[s.from].Text) == 1, s.colon}
	for j := i + 1; j < x.lines[s.line].to && x.segments[j].box.X0-x.segments[j-1].box.X1 < columnGap; j++ {
		e.to = x.segments[j].to
		e.colon = e.colon || x.segments[j].colon
	}
	return e
}

// period is a time from one date to another, and where it is printed.
type period struct {
	start, end span // empty where there is none
	from       int  // the word it begins with
}

// periodIn finds the years of a time in words, and the months before them.
func (x *extraction) periodIn(s span) (period, bool) {
	p := period{from: -1}
	for i := s.from; i < s.to; i++ {
		text := strings.Trim(x.words[i].Text, "(),;")
		if left, right, found := strings.Cut(strings.NewReplacer("–", "-", "—", "-").Replace(text), "-"); found && isYear(left) && (isYear(right) || right == "") {
			p.from = i
			p.start, p.end = span{i, i + 1}, span{i, i + 1} // one word has both
			return p, true
		}
		still := strings.Contains(stillWords, " "+value.Fold(text)+" ") && !p.start.empty()
		if !isYear(text) && !still {
			continue
		}
		date := span{i, i + 1}
		if i > s.from && isMonth(x.words[i-1].Text) {
			date.from--
		}
		switch {
		case p.start.empty():
			p.start, p.from = date, date.from
		default:
			if !still {
				p.end = date
			}
			return p, true
		}
	}
	if p.start.empty() || s.to-s.from > longestEntry {
		return period{}, false
	}
	p.start, p.end = span{}, p.start // one date alone is when it ended
	return p, true
}

func isYear(text string) bool {
	return len(text) == 4 && (strings.HasPrefix(text, "19") || strings.HasPrefix(text, "20")) && text[2] >= '0' && text[2] <= '9' && text[3] >= '0' && text[3] <= '9'
}

func isMonth(text string) bool {
	_, ok := value.Date("1 "+strings.Trim(text, ".,")+" 2000", value.Locale{})
	return ok && hasLetter(text)
}

// blockAt reads the block whose time stands on a line: what is named there and
// on the lines above it.
func (x *extraction) blockAt(entries []blockLine, n, last int, when period, fields map[blockField]int) (engine.Found, bool) {
	own := span{entries[n].from, when.from}
	var names []span
	if !own.empty() {
		names = append(names, x.phrases(own)...)
	}
	for up := n - 1; up > last && up >= n-2; up-- {
		s := entries[up]
		if s.colon || s.bulleted || s.to-s.from > longestEntry || s.x0 > entries[n].x0+0.01 {
			break
		}
		ends := x.words[s.to-1].Text
		names = append(x.phrases(s.span), names...)
		if ends != "|" && !strings.HasSuffix(ends, ",") && len(names) > 1 {
			break
		}
	}
	var e engine.Found
	set := func(f blockField, s span, text string) {
		target, ok := fields[f]
		if !ok || s.empty() || text == "" {
			return
		}
		t := &x.targets[target]
		v, ok := x.typed(t.field.Type, text)
		if !ok || t.field.Enum != nil {
			return
		}
		for len(e.Members) <= t.column {
			e.Members = append(e.Members, engine.Found{})
		}
		e.Members[t.column] = engine.Found{Value: v, Place: x.place(x.sure(blockConfidence*x.certainty(s)), s)}
	}
	body, role := x.bodyAndRole(names)
	set(bodyField, body, x.phrase(body))
	set(roleField, role, x.phrase(role))
	x.setTimes(when, set)
	named := !body.empty() || !role.empty()
	if named {
		x.take(names...)
	}
	return e, named && len(e.Members) > 0
}

// setTimes reads when a block began and ended.
func (x *extraction) setTimes(when period, set func(blockField, span, string)) {
	if when.start == when.end { // 2005-2009
		years := strings.FieldsFunc(strings.Trim(x.text(when.start), "(),;"), func(r rune) bool { return r == '-' || r == '–' || r == '—' })
		set(startField, when.start, years[0])
		if len(years) > 1 {
			set(endField, when.end, years[1])
		}
		return
	}
	if !when.start.empty() {
		set(startField, when.start, strings.Trim(x.text(when.start), "(),;"))
	}
	if !when.end.empty() {
		set(endField, when.end, strings.Trim(x.text(when.end), "(),;"))
	}
}

// phrases takes words apart at dashes and bars, and at commas before the name
// of a body.
func (x *extraction) phrases(s span) []span {
	var parts []span
	from := s.from
	for i := s.from; i < s.to; i++ {
		text := x.words[i].Text
		dash := text == "-" || text == "–" || text == "—"
		switch {
		case text == "|" || text == "•" || dash && !x.isRole(span{from, i}, 1):
			if i > from {
				parts = append(parts, span{from, i})
			}
			from = i + 1
		case dash && i > from && x.isBody(span{i + 1, s.to}) && !slices.ContainsFunc(x.words[i+1:s.to], func(w word) bool { return strings.HasSuffix(w.Text, ",") }):
			parts = append(parts, span{from, i})
			from = i + 1
		case strings.HasSuffix(text, ",") && (x.isBody(span{i + 1, s.to}) || x.isRole(span{from, i + 1}, 2)):
			parts = append(parts, span{from, i + 1})
			from = i + 1
		}
	}
	if from < s.to {
		parts = append(parts, span{from, s.to})
	}
	return parts
}

func (x *extraction) phrase(s span) string {
	if s.empty() {
		return ""
	}
	return strings.Trim(x.text(s), " ,;|-–—:")
}

func (x *extraction) isBody(s span) bool { return x.hasOf(s, bodyWords) }

// isRole reports whether at most so many words have one of a degree.
func (x *extraction) isRole(s span, most int) bool {
	return s.to-s.from <= most && x.hasOf(s, roleWords)
}

func (x *extraction) hasOf(s span, list string) bool {
	for i := s.from; i < s.to; i++ {
		if w := value.Fold(strings.Trim(x.words[i].Text, "(),.;")); w != "" && strings.Contains(list, " "+strings.ReplaceAll(w, ".", "")+" ") {
			return true
		}
	}
	return false
}

// bodyAndRole tells the school from the degree, and the company from the
// position, which is named first where nothing else tells.
func (x *extraction) bodyAndRole(names []span) (body, role span) {
	for _, s := range names {
		switch {
		case body.empty() && x.isBody(s) && !x.isRole(s, 8):
			body = s
		case role.empty():
			role = s
		}
	}
	if !body.empty() || len(names) == 0 {
		return body, role
	}
	for _, s := range names {
		if s != role {
			return s, role
		}
	}
	return span{}, role
}
