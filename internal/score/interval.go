package score

import (
	"math/bits"
	"slices"
)

// resamples is how often documents are drawn for the interval.
const resamples = 400

// interval is where the mean lies in 95 of 100 draws of as many documents from
// the same ones (a bootstrap). The draws are the same each time.
func interval(scores []float64) [2]float64 {
	if len(scores) == 0 {
		return [2]float64{}
	}
	random := newTwister(1)
	means := make([]float64, resamples)
	for i := range means {
		for range scores {
			means[i] += scores[random.below(len(scores))]
		}
		means[i] /= float64(len(scores))
	}
	slices.Sort(means)
	return [2]float64{means[resamples/40], means[resamples-resamples/40-1]}
}

// twister is MT19937, the generator of Python and of most that is written for
// statistics: intervals can be compared to the last digit with what is computed
// there.
type twister struct {
	state [624]uint32
	at    int
}

func newTwister(seed uint32) *twister {
	t := &twister{at: 624}
	s := &t.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i := 1
	turn := func() {
		if i++; i == len(s) {
			s[0], i = s[len(s)-1], 1
		}
	}
	for range s {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + seed
		turn()
	}
	for range len(s) - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		turn()
	}
	s[0] = 1 << 31
	return t
}

func (t *twister) next() uint32 {
	s := &t.state
	if t.at == len(s) {
		for i := range s {
			y := s[i]&(1<<31) | s[(i+1)%len(s)]&(1<<31-1)
			s[i] = s[(i+397)%len(s)] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.at = 0
	}
	y := s[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below draws a number from 0 to n-1.
func (t *twister) below(n int) int {
	for {
		if r := int(t.next() >> (32 - bits.Len(uint(n)))); r < n {
			return r
		}
	}
}
