package scan

// Strip cuts a few lines out of a prepared picture, where there is most text:
// enough to try something on, at a fraction of the page's cost. It also gives
// the row at which it was cut.
func (p Picture) Strip() (Picture, int) {
	high := p.StripHeight()
	if high >= p.Height {
		return p, 0
	}
	// Text changes between dark and light often, and rules and pictures do not.
	changes := make([]int, p.Height)
	for y := range changes {
		row := p.Grey[y*p.Width:][:p.Width]
		was := false
		for _, v := range row {
			if is := v < dark; is != was {
				changes[y]++
				was = is
			}
		}
	}
	sum := 0
	for _, n := range changes[:high] {
		sum += n
	}
	best, from := sum, 0
	for y := high; y < p.Height; y++ {
		sum += changes[y] - changes[y-high]
		if sum > best {
			best, from = sum, y-high+1
		}
	}
	return p.StripAt(from), from
}

// StripAt cuts a strip from a row on.
func (p Picture) StripAt(from int) Picture {
	high := p.StripHeight()
	if high >= p.Height {
		return p
	}
	from = min(max(from, 0), p.Height-high)
	strip := p
	strip.Rules = nil
	strip.Height, strip.Grey = high, p.Grey[from*p.Width:][:high*p.Width]
	return strip
}

// StripHeight is how many rows a strip has.
func (p Picture) StripHeight() int { return min(int(max(stripLetters*p.Letter, 80)), p.Height) }

// stripLetters is how high a strip is, in letters: about four lines.
const stripLetters = 9
