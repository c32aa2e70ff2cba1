package reader

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf16"

	"fieldlift"
	"fieldlift/internal/page"
)

// words reads the page's text. PDFium gives characters in the order in which
// they were printed, with spaces of its own where the print leaves a gap; words
// are what stands between spaces, and between gaps that it let pass.
//
// It also tells the share of the words that are not printed.
func (s *sheet) words() (found []page.Word, hidden float64) {
	handle := s.call("FPDFText_LoadPage", s.handle)
	if handle == 0 {
		return nil, 0
	}
	t := &text{sheet: s, handle: handle, styles: map[uint64]style{}, fonts: map[uint64]font{}}
	getUnicode := s.function("FPDFText_GetUnicode")
	count := s.number("FPDFText_CountChars", handle)
	t.found = make([]page.Word, 0, max(count, 0)/5) // what most languages have to a word
	for at := range count {
		if s.err != nil {
			break
		}
		r := rune(s.do(getUnicode, handle, uint64(at)))
		switch {
		case r == '\u200b' || r == '\ufeff': // of no width
		case r != hyphen && (unicode.IsSpace(r) || r != 0 && unicode.IsControl(r)):
			t.endWord()
		default:
			t.character(at, r)
		}
	}
	t.endWord()
	s.call("FPDFText_ClosePage", handle)
	return t.found, float64(t.hidden) / max(float64(len(t.found)), 1)
}

// hyphen is how PDFium marks a hyphen that parts a word at the end of a line.
const hyphen = 2

// text is the reading of one page's text.
type text struct {
	*sheet
	handle uint64
	styles map[uint64]style // by text object
	fonts  map[uint64]font
	found  []page.Word
	hidden int // how many of them are not printed

	// The word that is being put together.
	letters []rune
	style   style
	extent  rectangle
	last    rectangle // of its last character
	unsure  bool      // its font does not say what its characters are
}

// style is how the characters of a text object are printed.
type style struct {
	size            float64 // in points, as printed
	alongX, alongY  float64 // the direction of writing
	upX, upY        float64 // and across it
	ascent, descent float64 // how far letters reach above and below the line
	bold            bool
	symbol          func(rune) rune // what a character is in a font of symbols; nil in others
	hidden          bool
}

type font struct {
	ascent, descent float64 // for size 1
	bold            bool
	symbol          func(rune) rune
}

// character adds one to the word, or begins another with it.
func (t *text) character(at int, r rune) {
	box := t.characterBox(at)
	if len(t.letters) > 0 && (t.apart(box) || t.besideSymbol(at, r)) {
		t.endWord()
	}
	if len(t.letters) == 0 {
		t.beginWord(at, box)
	}
	if t.style.symbol != nil {
		r = t.style.symbol(r)
	}
	if r == 0 || t.unsure && t.call("FPDFText_HasUnicodeMapError", t.handle, uint64(at)) == 1 {
		r = unicode.ReplacementChar
	}
	t.letters = append(t.letters, r)
	t.extent = t.extent.union(box)
	t.last = box
}

// besideSymbol tells whether a character, or the one before it, is a symbol:
// these are words of their own.
func (t *text) besideSymbol(at int, r rune) bool {
	return t.style.symbol != nil || isTick(r) || isTick(t.letters[len(t.letters)-1]) ||
		maybeSymbol(r) && t.styleOf(at).symbol != nil
}

// characterBox is where the ink of a character is, or its cell when it has
// none.
func (t *text) characterBox(at int) rectangle {
	i := t.instance
	i.do(t.function("FPDFText_GetCharBox"), t.handle, uint64(at), i.out(0), i.out(1), i.out(2), i.out(3))
	if view := i.at(i.scratch, 32); view != nil {
		r := rectangle{x0: float64At(view), x1: float64At(view[8:]), y0: float64At(view[16:]), y1: float64At(view[24:])}
		if r.x1 > r.x0 && r.y1 > r.y0 {
			return r
		}
	}
	if i.call("FPDFText_GetLooseCharBox", t.handle, uint64(at), i.out(0)) == 0 {
		return rectangle{}
	}
	return rectangle{x0: i.float32(0), y1: i.float32(1), x1: i.float32(2), y0: i.float32(3)}
}

// apart tells whether a character stands too far from the last one to be of its
// word: by more than a wide space along the line, or back, or off the line.
func (t *text) apart(box rectangle) bool {
	s := t.style
	if s.size == 0 {
		return false
	}
	from, to := span(t.last, s.alongX, s.alongY)
	next, _ := span(box, s.alongX, s.alongY)
	if gap := next - to; gap > 0.5*s.size || next < from-s.size {
		return true
	}
	oldBottom, oldTop := span(t.last, s.upX, s.upY)
	newBottom, newTop := span(box, s.upX, s.upY)
	return newBottom > oldTop+0.5*s.size || newTop < oldBottom-0.5*s.size
}

// span is from where to where a rectangle reaches in a direction.
func span(r rectangle, x, y float64) (from, to float64) {
	if x >= 0 {
		from, to = x*r.x0, x*r.x1
	} else {
		from, to = x*r.x1, x*r.x0
	}
	if y >= 0 {
		return from + y*r.y0, to + y*r.y1
	}
	return from + y*r.y1, to + y*r.y0
}

// beginWord takes the style of the word's first character. Its box reaches from
// the descenders to the ascenders whether the word has any or not, so that
// words of a line are equally high.
func (t *text) beginWord(at int, box rectangle) {
	t.extent = box
	t.style = t.styleOf(at)
	t.unsure = t.call("FPDFText_HasUnicodeMapError", t.handle, uint64(at)) == 1
	if t.call("FPDFText_GetCharOrigin", t.handle, uint64(at), t.out(0), t.out(1)) != 0 {
		x, y, s := t.float64(0), t.float64(1), t.style
		t.extent = t.extent.with(x+s.upX*s.ascent, y+s.upY*s.ascent).with(x+s.upX*s.descent, y+s.upY*s.descent)
	}
}

func (t *text) styleOf(at int) style {
	object := t.call("FPDFText_GetTextObject", t.handle, uint64(at))
	if s, known := t.styles[object]; known {
		return s
	}
	s := style{alongX: 1, upY: 1}
	if t.call("FPDFTextObj_GetFontSize", object, t.out(0)) != 0 {
		s.size = t.float32(0)
	}
	if t.call("FPDFText_GetMatrix", t.handle, uint64(at), t.out(0)) != 0 {
		m := t.matrix()
		if along := math.Hypot(m.a, m.b); along > 0 {
			s.alongX, s.alongY = m.a/along, m.b/along
		}
		if up := math.Hypot(m.c, m.d); up > 0 {
			s.upX, s.upY = m.c/up, m.d/up
			s.size = math.Abs(s.size) * up
		}
	}
	s.hidden = t.number("FPDFTextObj_GetTextRenderMode", object) == invisible
	f := t.fontOf(object)
	s.ascent, s.descent, s.bold, s.symbol = f.ascent*s.size, f.descent*s.size, f.bold, f.symbol
	t.styles[object] = s
	return s
}

// invisible is the mode of text that is neither filled nor outlined.
const invisible = 3

func (t *text) fontOf(object uint64) font {
	handle := t.call("FPDFTextObj_GetFont", object)
	if f, known := t.fonts[handle]; known {
		return f
	}
	f := font{ascent: 0.8, descent: -0.2} // for fonts that say nothing credible
	one := api32(1)
	if t.call("FPDFFont_GetAscent", handle, one, t.out(0)) != 0 {
		if a := t.float32(0); a >= 0.5 && a <= 1.2 {
			f.ascent = a
		}
	}
	if t.call("FPDFFont_GetDescent", handle, one, t.out(0)) != 0 {
		if d := t.float32(0); d >= -0.5 && d <= -0.1 {
			f.descent = d
		}
	}
	if height := f.ascent - f.descent; height > 1 {
		// Fonts count the leading in, but lines that are set solid must not overlap.
		f.ascent, f.descent = f.ascent/height, f.descent/height
	}
	name := strings.ToLower(t.fontName(handle))
	f.bold = t.number("FPDFFont_GetWeight", handle) >= 600 || strings.Contains(name, "bold") ||
		strings.Contains(name, "black") || strings.Contains(name, "heavy")
	f.symbol = symbolFont(name)
	t.fonts[handle] = f
	return f
}

// api32 is a C float as calls take it.
func api32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func (t *text) fontName(handle uint64) string {
	length := t.call("FPDFFont_GetBaseFontName", handle, 0, 0)
	if length < 2 || length > 64 {
		return ""
	}
	t.call("FPDFFont_GetBaseFontName", handle, t.out(0), length)
	return strings.TrimRight(string(t.at(t.scratch, uint32(length))), "\x00")
}

// endWord adds the word, if there is one and it can be seen.
func (t *text) endWord() {
	if len(t.letters) == 0 {
		return
	}
	if box, ok := visible(t.box(t.extent)); ok {
		t.found = append(t.found, page.Word{
			Text: spell(t.letters), Box: box, Size: t.style.size, Bold: t.style.bold,
			Source: fieldlift.SourceText, Confidence: 1,
		})
		if t.style.hidden {
			t.hidden++
		}
	}
	t.letters = t.letters[:0]
}

// spell writes letters as they are searched for: ligatures taken apart, hyphens
// as such, pairs of surrogates joined.
func spell(letters []rune) string {
	var b strings.Builder
	b.Grow(len(letters))
	for n := 0; n < len(letters); n++ {
		r := letters[n]
		if utf16.IsSurrogate(r) {
			if n+1 < len(letters) {
				if joined := utf16.DecodeRune(r, letters[n+1]); joined != unicode.ReplacementChar {
					r = joined
					n++
				}
			}
			b.WriteRune(r)
			continue
		}
		switch r {
		case hyphen, '\u00ad':
			b.WriteByte('-')
		case 'ﬀ':
			b.WriteString("ff")
		case 'ﬁ':
			b.WriteString("fi")
		case 'ﬂ':
			b.WriteString("fl")
		case 'ﬃ':
			b.WriteString("ffi")
		case 'ﬄ':
			b.WriteString("ffl")
		case 'ﬅ', 'ﬆ':
			b.WriteString("st")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
