package deliver

import (
	"fmt"
	"testing"
)

func (p *pace) fill(due ...string) map[string]int {
	room := p.room(due)
	for id, n := range room {
		for range n {
			p.began(id)
		}
	}
	return room
}

func TestReceiversThatAnswerGetMoreAtOnce(t *testing.T) {
	p := newPace()
	if room := p.fill("a"); room["a"] != firstWindow {
		t.Errorf("%v", room)
	}
	for range 100 {
		p.ended("a", false)
		p.fill("a")
	}
	if p.inFlight != mostWindow {
		t.Errorf("%d at once", p.inFlight)
	}
}

func TestReceiversInTroubleGetFewer(t *testing.T) {
	p := newPace()
	for range 3 {
		for n := p.fill("a")["a"]; n > 0; n-- {
			p.ended("a", true)
		}
	}
	if room := p.fill("a"); room["a"] != 1 {
		t.Errorf("%v", room)
	}
	p.ended("a", false) // it answers again
	if room := p.fill("a"); room["a"] != 2 {
		t.Errorf("%v", room)
	}
}

// However many receivers are in trouble, others find room.
func TestRoomIsLeftForOthers(t *testing.T) {
	p := newPace()
	var dead []string
	for i := range 1000 {
		id := fmt.Sprint("dead ", i)
		dead = append(dead, id)
		p.began(id)
		p.ended(id, true)
	}
	p.fill(dead...)
	if p.inFlight != mostTroubled {
		t.Errorf("%d of %d places are taken by receivers in trouble", p.inFlight, mostInFlight)
	}
	if room := p.fill(append(dead, "well")...); room["well"] != firstWindow || len(room) != 1 {
		t.Errorf("%v", room)
	}
}

// When places are rare, they are shared.
func TestRoomIsShared(t *testing.T) {
	p := newPace()
	due := make([]string, 2*mostInFlight)
	for i := range due {
		due[i] = fmt.Sprintf("%04d", i)
	}
	if room := p.fill(due...); len(room) != mostInFlight || !p.full() {
		t.Errorf("%d receivers share %d places", len(room), mostInFlight)
	}
	p.ended("0000", false)
	if room := p.fill(due...); room["0000"] != 0 || len(room) != 1 {
		t.Errorf("%v, but others have waited", room)
	}
}

func TestReceiversAreForgotten(t *testing.T) {
	p := newPace()
	p.fill("a")
	for range firstWindow {
		p.ended("a", false)
	}
	if p.room(nil); len(p.receivers) != 0 {
		t.Errorf("%v", p.receivers)
	}
}
