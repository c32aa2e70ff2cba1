package deliver

import (
	"cmp"
	"slices"
)

// How many attempts are under way at once.
const (
	mostInFlight = 128              // in all
	mostTroubled = mostInFlight / 2 // for receivers in trouble, so that the others always have room
	firstWindow  = 4                // for a receiver that is not known yet
	mostWindow   = 16               // for one that answers well
)

// pace decides how many attempts each receiver gets at once: more while it
// answers, half as many each time it does not.
type pace struct {
	receivers map[string]*receiver // by webhook
	inFlight  int
	turn      int64
}

type receiver struct {
	window   int
	inFlight int
	turn     int64 // when an attempt was last begun: whose turn was longest ago is next
	troubled bool  // the last attempt to end had no answer, or held its place for long
}

func newPace() *pace { return &pace{receivers: map[string]*receiver{}} }

func (p *pace) full() bool { return p.inFlight >= mostInFlight }

func (p *pace) receiver(id string) *receiver {
	known := p.receivers[id]
	if known == nil {
		known = &receiver{window: firstWindow}
		p.receivers[id] = known
	}
	return known
}

func (p *pace) began(id string) {
	r := p.receiver(id)
	p.turn++
	r.turn = p.turn
	r.inFlight++
	p.inFlight++
}

func (p *pace) ended(id string, trouble bool) {
	r := p.receiver(id)
	r.inFlight--
	p.inFlight--
	r.troubled = trouble
	if trouble {
		r.window = max(1, r.window/2)
	} else {
		r.window = min(mostWindow, r.window+1)
	}
}

// room divides the places that are free among webhooks, one by one, to those
// first that have the fewest. Receivers for which nothing waits are forgotten.
func (p *pace) room(due []string) map[string]int {
	waiting := make(map[string]bool, len(due))
	for _, id := range due {
		waiting[id] = true
	}
	troubled := 0
	for id, r := range p.receivers {
		if r.inFlight == 0 && !waiting[id] {
			delete(p.receivers, id)
		} else if r.troubled {
			troubled += r.inFlight
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		x, y := p.receiver(a), p.receiver(b)
		return cmp.Or(cmp.Compare(x.inFlight, y.inFlight), cmp.Compare(x.turn, y.turn), cmp.Compare(a, b))
	})
	room := map[string]int{}
	for free := mostInFlight - p.inFlight; ; {
		given := false
		for _, id := range due {
			r := p.receiver(id)
			if free == 0 || r.inFlight+room[id] >= r.window || r.troubled && troubled >= mostTroubled {
				continue
			}
			room[id]++
			free--
			given = true
			if r.troubled {
				troubled++
			}
		}
		if !given {
			return room
		}
	}
}
