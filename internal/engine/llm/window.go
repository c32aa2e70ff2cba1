package llm

import "slices"

const (
	bytesPerToken = 3       // of a transcript, roughly and on the safe side
	tableShare    = 3       // a window for tables is this much shorter: their answers are as long as they are
	mostWeight    = 60      // values of a question, counting columns once
	overlap       = 6       // lines that a window repeats of the one before
	leastLines    = 12      // a window is not split further
	mostQuestions = 1 << 10 // of a document, when all is split
)

// span is lines from one up to but without another.
type span struct{ from, to int }

// windows parts the document into pieces of so many bytes, at the ends of
// pages where that is possible. Each begins a few lines before the end of the
// last one, so that a row that crosses an end is whole in one of them.
func (t *transcript) windows(size int) []span {
	var list []span
	for from := 0; from < len(t.lines); {
		to, pageEnd := from, 0
		for n := 0; to < len(t.lines); to++ {
			if n += len(t.lines[to].text) + 6; n > size && to >= from+leastLines {
				break
			}
			if to+1 < len(t.lines) && t.lines[to+1].page != t.lines[to].page {
				pageEnd = to + 1
			}
		}
		if to < len(t.lines) && pageEnd > from+leastLines {
			to = pageEnd
		}
		start := from
		if start > 0 {
			start = max(from-overlap, 0)
		}
		list = append(list, span{start, to})
		from = to
	}
	return list
}

// groups parts items so that no question asks for too much at once. Sections
// stay together where they can.
func groups(items []item) [][]item {
	var list [][]item
	weight := 0
	for n := 0; n < len(items); {
		end, sum := n, 0
		for end < len(items) && items[end].section() == items[n].section() {
			sum += items[end].weight()
			end++
		}
		for _, one := range items[n:end] {
			if len(list) == 0 || weight > 0 && weight+pick(sum <= mostWeight, sum, one.weight()) > mostWeight {
				list, weight = append(list, nil), 0
			}
			last := len(list) - 1
			list[last] = append(list[last], one)
			weight += one.weight()
			sum -= one.weight()
		}
		n = end
	}
	return list
}

// plan makes the questions of a document: all items at once where everything
// is short, else scalars in long windows and tables in short ones.
func (e *Engine) plan(t *transcript, items []item) []question {
	size := e.Model.options.Window * bytesPerToken
	var questions []question
	ask := func(items []item, size int) {
		for _, window := range t.windows(size) {
			for _, group := range groups(items) {
				questions = append(questions, question{items: group, from: window.from, to: window.to})
			}
		}
	}
	tables := slices.DeleteFunc(slices.Clone(items), func(i item) bool { return !i.isTable() })
	if len(tables) == 0 || t.size(0, len(t.lines)) <= size/tableShare {
		ask(items, size)
		return questions
	}
	if scalars := slices.DeleteFunc(slices.Clone(items), item.isTable); len(scalars) > 0 {
		ask(scalars, size)
	}
	ask(tables, size/tableShare)
	return questions
}

// split parts a question that is too long: by lines, because what is written
// is long where lines are many, else by items; nil when neither is possible.
func (i *inquiry) split(q question) []question {
	if i.use.parts(2) > mostQuestions {
		return nil
	}
	a, b := q, q
	switch n := q.to - q.from; {
	case n >= 2*leastLines:
		middle := i.middle(q.from, q.to)
		a.to, b.from = middle, max(middle-overlap, q.from+1)
		a.pictures, b.pictures = i.of(q.pictures, a), i.of(q.pictures, b)
	case len(q.items) > 1:
		a.items, b.items = q.items[:len(q.items)/2], q.items[len(q.items)/2:]
	default:
		return nil
	}
	return []question{a, b}
}

// middle is where lines are parted: at the end of a page if one is near.
func (t *transcript) middle(from, to int) int {
	middle := (from + to) / 2
	for d := range (to - from) / 4 {
		for _, at := range []int{middle - d, middle + d} {
			if t.lines[at-1].page != t.lines[at].page {
				return at
			}
		}
	}
	return middle
}

// of gives the pictures of pages that a question shows.
func (t *transcript) of(pictures []picture, q question) []picture {
	return slices.DeleteFunc(slices.Clone(pictures), func(p picture) bool {
		return p.page < t.lines[q.from].page || p.page > t.lines[q.to-1].page
	})
}
