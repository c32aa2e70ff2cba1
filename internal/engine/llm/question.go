package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fieldlift"
)

// question asks for items on lines of a document.
type question struct {
	items        []item
	from, to     int // lines
	form         json.RawMessage
	known        string
	documentType string
	pictures     []picture
	last         bool // what is wrong with its answer is not asked again
	troubled     int  // how often a question that this is a part of was not answered
	cut          int  // how often the answer to one that this is a part of was cut off, though it should have had room
	halving      *halving
}

// mostTroubled is how often a question that is not answered in time, or with
// what is no answer at all, is parted: into quarters. Each try may cost.
const mostTroubled = 2

// halving is what came of parting a question whose answer was cut off. All its
// parts share it, and are asked one after the other: the first goes ahead.
type halving struct {
	helped bool // a part was answered whole
	vain   bool // the smallest part was cut off as well
}

// mostCut is how often a question is parted whose answers are cut off, though
// they should have room, before that is in vain: some models never end.
const mostCut = 4

// inVain reports whether parting a question would not help.
func (q question) inVain() bool {
	return q.cut > 0 && !q.halving.helped && (q.halving.vain || q.cut > mostCut)
}

// Kept is the answer to a question as it is kept: what was said of each item,
// and why of others nothing could be had.
type Kept struct {
	Said   map[string]json.RawMessage `json:"said"`
	Failed map[string]string          `json:"failed,omitempty"`
	// Rest are items whose answer could not be used, and that are asked for alone.
	Rest []string `json:"rest,omitempty"`
	// Split says that the question was too long, and was asked in parts.
	Split bool `json:"split,omitempty"`
	// Cut says that the answer was too long, not the question.
	Cut bool `json:"cut,omitempty"`
	// Trouble says that nothing came that could be used; Split then has it asked
	// in parts.
	Trouble string                `json:"trouble,omitempty"`
	Tokens  fieldlift.ModelTokens `json:"tokens"`
}

// Good reports whether an answer holds for all who ask the same. Others hold
// for the document that asked, so that it does not pay for them again.
func (k Kept) Good() bool { return len(k.Failed) == 0 && k.Trouble == "" }

// key names a question by all that its answer depends on.
func (m *Model) key(q question, text string) string {
	sum := sha256.New()
	if q.last {
		_, _ = sum.Write([]byte("last"))
	}
	for _, part := range []string{promptVersion, m.options.Provider, m.options.URL, m.options.Model, systemPrompt, text} {
		_, _ = fmt.Fprintf(sum, "%d\x00%s", len(part), part) // a hash takes everything
	}
	for _, one := range q.pictures {
		_, _ = fmt.Fprintf(sum, "%d\x00%s", len(one.png), one.png)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// answered is a question with its answer.
type answered struct {
	question
	Kept
}

// inquiry asks the questions of one document.
type inquiry struct {
	*Engine
	*transcript
	use     counter
	answer  []answered
	undrawn []int // pages that could not be shown
	tell    sync.Once
}

// put asks a question, or recalls its answer, and notes it. What cannot be asked
// puts the document off, or is left to the embedded engine.
func (i *inquiry) put(ctx context.Context, q question) error {
	kept, err := i.answerTo(ctx, q)
	away, isAway := errors.AsType[*Away](err)
	late := errors.Is(context.Cause(ctx), errNoTime)
	switch {
	case err == nil:
	case errors.Is(err, ErrBudget):
		i.Model.options.Metrics.ended("budget")
		kept = failed(q.items, sentence(err))
	case isAway && i.settles(away):
		i.Model.options.Metrics.ended("away")
		kept = failed(q.items, i.excuse(ctx, away.Err))
	case late && i.Settle:
		i.Model.options.Metrics.ended("away")
		kept = failed(q.items, errNoTime.Error())
	case late:
		return awayFor(errNoTime, 0)
	default:
		return err
	}
	return i.take(ctx, q, kept)
}

// excuse is what the owner of a document is told of a model that is away. The
// rest is for the log: it names addresses and flags.
func (i *inquiry) excuse(ctx context.Context, err error) string {
	if _, ok := errors.AsType[*setAside](err); ok || i.Frank {
		return err.Error()
	}
	i.tell.Do(func() {
		i.Model.options.Log.WarnContext(ctx, "a document ends without the model's part", "error", err)
	})
	return "the model could not be reached"
}

// settles reports whether a document does not wait for a model that is away.
// Where a wrong key keeps us from it, only those wait that want nothing else.
func (i *inquiry) settles(away *Away) bool {
	f, ok := errors.AsType[*fault](away.Err)
	return i.Settle || !i.Insist && i.Choice == fieldlift.AutoEngine && ok && f.refusesUs()
}

// answerTo gives the answer to a question, kept or new. Of several who ask the
// same at once, one asks.
func (i *inquiry) answerTo(ctx context.Context, q question) (Kept, error) {
	q.form = form(q.items)
	text := q.ask(i.transcript)
	key := i.Model.key(q, text)
	end, err := i.begin(ctx, key)
	if err != nil {
		return Kept{}, err
	}
	defer end()
	kept, own, ok, err := i.recall(ctx, key)
	if err != nil {
		return Kept{}, err
	}
	if ok {
		i.use.recalled(kept.Tokens, own)
		i.Model.options.Metrics.ended("cached")
		return kept, nil
	}
	kept, err = i.converse(ctx, q, text)
	if err == nil || len(kept.Rest) > 0 { // what was had is not to be paid for again, whatever comes
		if err := i.remember(ctx, key, kept); err != nil {
			return Kept{}, err
		}
	}
	if err == nil {
		i.Model.options.Metrics.ended(pick(kept.Good(), "answered", "failed"))
	}
	return kept, err
}

// take notes an answer, and asks for what it lacks: all in parts, or some items
// alone.
func (i *inquiry) take(ctx context.Context, q question, kept Kept) error {
	if kept.Split {
		return i.part(ctx, q, kept)
	}
	i.add(q, kept)
	q.halving.helped = q.halving.helped || q.cut > 0 && len(kept.Said) > 0
	if len(kept.Rest) == 0 {
		return nil
	}
	alone := q
	alone.last = true // without what went wrong before
	alone.items = slices.DeleteFunc(slices.Clone(q.items), func(one item) bool { return !slices.Contains(kept.Rest, one.key) })
	return i.put(ctx, alone)
}

// part asks a question in parts, because it is too long or in trouble.
func (i *inquiry) part(ctx context.Context, q question, kept Kept) error {
	var parts []question
	if kept.Trouble != "" {
		q.troubled++
	}
	if kept.Cut && !i.isLong(q) {
		q.cut++
	}
	if q.troubled <= mostTroubled && !q.inVain() {
		parts = i.split(q)
	}
	if parts == nil {
		q.halving.vain = q.halving.vain || kept.Cut
		i.add(q, failed(q.items, cmp.Or(kept.Trouble, "the model cannot read or write as much at once")))
		return nil
	}
	for _, one := range parts {
		if err := i.put(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// isLong reports whether an answer may well be longer than it may be: as tables
// are, that are copied with the names of their columns.
func (i *inquiry) isLong(q question) bool {
	return (2*i.size(q.from, q.to)+lettersAnItem*len(q.items))/lettersAToken > i.Model.options.MostOutput
}

// lettersAnItem is what an answer says of an item besides its text.
const lettersAnItem = 100

func failed(items []item, reason string) Kept {
	var kept Kept
	kept.failAll(items, reason)
	return kept
}

// converse asks, and has what is wrong mended once, in view of what was said.
// What is wrong even then is the rest.
func (i *inquiry) converse(ctx context.Context, q question, text string) (Kept, error) {
	kept := Kept{Said: map[string]json.RawMessage{}}
	first := call{system: systemPrompt, turns: []turn{{true, text}}, form: q.form, pictures: q.pictures}
	r, err := i.call(ctx, first, &kept)
	if done, end := ended(q.items, r, err, &kept); done {
		return kept, end
	}
	wrong := i.listen(q, q.items, r.text, &kept)
	if len(wrong) == 0 {
		return kept, nil
	}
	if q.last {
		for _, p := range wrong {
			kept.fail(p.key, "the model's answer could not be used: "+p.reason)
		}
		return kept, nil
	}
	again := first
	again.form = form(itemsIn(wrong))
	again.turns = append(slices.Clone(first.turns), turn{false, orNothing(r.text)}, turn{true, mend(wrong, again.form)})
	r, err = i.call(ctx, again, &kept)
	if err == nil && !r.cut && r.refusal == "" {
		wrong = i.listen(q, itemsIn(wrong), r.text, &kept)
	}
	for _, p := range wrong {
		kept.Rest = append(kept.Rest, p.key)
	}
	if _, isFault := errors.AsType[*fault](err); isFault || errors.Is(err, errTooLong) || errors.Is(err, ErrBudget) {
		err = nil // who asks for the rest will see
	}
	return kept, err
}

func (k *Kept) fail(key, reason string) {
	if k.Failed == nil {
		k.Failed = map[string]string{}
	}
	k.Failed[key] = reason
}

func (k *Kept) failAll(items []item, reason string) {
	for _, one := range items {
		k.fail(one.key, reason)
	}
}

func orNothing(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)" // providers take no empty turn
	}
	return text[:min(len(text), longestEcho)]
}

const longestEcho = 20_000

// call asks the model once, if the budgets allow it, and accounts for it,
// whatever it answers.
func (i *inquiry) call(ctx context.Context, c call, kept *Kept) (reply, error) {
	settle, err := i.reserve(ctx, c.most(i.Model))
	if err != nil {
		return reply{}, err
	}
	r, err := i.Model.ask(ctx, c)
	if r.tokens.Calls > 0 {
		r.tokens = c.estimated(r)
		kept.Tokens.Add(r.tokens)
		i.use.spent(r.tokens)
	}
	// What was spent is spent, even when we are to stop.
	if noted := settle(context.WithoutCancel(ctx), r.tokens); noted != nil {
		return r, noted
	}
	return r, err
}

const (
	// lettersAToken is how many bytes of text make a token, at the least: what a
	// provider does not tell is rather thought too dear than free.
	lettersAToken = 3
	// tokensAPicture is what a page at our resolution takes.
	tokensAPicture = 1600
)

// input estimates what is sent with a call, in tokens.
func (c call) input() int64 {
	length := len(c.system) + len(c.form)
	for _, t := range c.turns {
		length += len(t.text)
	}
	return int64(length/lettersAToken + len(c.pictures)*tokensAPicture + 1)
}

// most is what a call may take.
func (c call) most(m *Model) fieldlift.ModelTokens {
	return fieldlift.ModelTokens{Calls: 1, Input: c.input(), Output: int64(m.options.MostOutput)}
}

// believed leaves out counts that cannot be true, as if they had not been told.
func (c call) believed(t fieldlift.ModelTokens, text string) fieldlift.ModelTokens {
	believe := func(told, estimate int64) int64 {
		if told < 0 || told > max(mostBelieved, timesBelieved*estimate) {
			return 0
		}
		return told
	}
	t.Input, t.Output = believe(t.Input, c.input()), believe(t.Output, output(text))
	return t
}

const (
	mostBelieved  = 10_000_000 // tokens of a call
	timesBelieved = 16         // what we think that it took
)

// output estimates what was answered, in tokens.
func output(text string) int64 { return int64(len(text)/lettersAToken) + 1 }

// estimated gives what a call took, also when the provider does not tell.
func (c call) estimated(r reply) fieldlift.ModelTokens {
	tokens := r.tokens
	if tokens.Input <= 0 {
		tokens.Input = c.input()
	}
	if tokens.Output <= 0 {
		tokens.Output = output(r.text)
	}
	return tokens
}

// ended tells whether there is nothing to listen to, and what that means: a
// fault of ours that puts the document off, items that failed, or that less
// must be asked at once.
func ended(items []item, r reply, err error, kept *Kept) (bool, error) {
	f, isFault := errors.AsType[*fault](err)
	_, isAway := errors.AsType[*Away](err)
	switch {
	case errors.Is(err, errTooLong):
		kept.Split = true
	case err == nil && r.cut:
		kept.Split, kept.Cut = true, true
	case isAway:
		return true, err
	case isFault && f.useless():
		kept.Split, kept.Trouble = true, f.Error()
	case isFault: // it does not want this question, and would not tomorrow
		kept.failAll(items, fmt.Sprintf("the model's provider refused the question (status %d)", f.status))
	case err != nil:
		return true, err
	case r.refusal != "":
		kept.failAll(items, "the model gave no answer: "+r.refusal)
	default:
		return false, nil
	}
	return true, nil
}

// listen keeps what can be read of a reply and lists what cannot.
func (i *inquiry) listen(q question, items []item, text string, kept *Kept) []problem {
	object, err := cutOut(text, func(object map[string]json.RawMessage) int { return keysOf(unwrap(object, items), items) })
	if err != nil {
		wrong := make([]problem, len(items))
		for n, one := range items {
			wrong[n] = problem{one, err.Error()}
		}
		return wrong
	}
	object = unwrap(object, items)
	heard := listener{i.transcript, q.from, q.to}
	var wrong []problem
	for _, one := range items {
		raw, there := object[one.key]
		if !there {
			wrong = append(wrong, problem{one, "it is missing"})
			continue
		}
		if _, err := heard.read(one, raw); err != nil {
			wrong = append(wrong, problem{one, err.Error()})
			continue
		}
		kept.Said[one.key] = slices.Clone(raw)
	}
	return wrong
}

// keysOf counts the items that an object has something to say of.
func keysOf(object map[string]json.RawMessage, items []item) int {
	n := 0
	for _, one := range items {
		if _, there := object[one.key]; there {
			n++
		}
	}
	return n
}

func itemsIn(wrong []problem) []item {
	items := make([]item, len(wrong))
	for n, p := range wrong {
		items[n] = p.item
	}
	return items
}

func (i *inquiry) add(q question, kept Kept) {
	i.use.mu.Lock()
	defer i.use.mu.Unlock()
	i.answer = append(i.answer, answered{q, kept})
}

// sorted gives the answers in the order of the document: they come in as they
// are had.
func (i *inquiry) sorted() []answered {
	slices.SortStableFunc(i.answer, func(a, b answered) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	return i.answer
}
