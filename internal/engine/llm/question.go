package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
}

// Kept is the answer to a question as it is kept: what was said of each item,
// and why of others nothing could be had.
type Kept struct {
	Said   map[string]json.RawMessage `json:"said"`
	Failed map[string]string          `json:"failed,omitempty"`
	// Split says that the question was too long, and was asked in parts.
	Split  bool                  `json:"split,omitempty"`
	Tokens fieldlift.ModelTokens `json:"tokens"`
}

// key names a question by all that its answer depends on.
func (m *Model) key(q question, text string) string {
	sum := sha256.New()
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
	use    counter
	answer []answered
}

// put asks a question, or recalls its answer. One that is too long is asked in
// parts; what was asked before is not asked again.
func (i *inquiry) put(ctx context.Context, q question) error {
	q.form = form(q.items)
	text := q.ask(i.transcript)
	key := i.Model.key(q, text)
	kept, own, ok, err := i.recall(ctx, key)
	if err != nil {
		return err
	}
	if ok {
		i.use.recalled(kept.Tokens, own)
		i.Model.options.Metrics.ended("cached")
		return i.take(ctx, q, kept)
	}
	if err := i.allow(ctx); err != nil {
		if !errors.Is(err, ErrBudget) {
			return err
		}
		i.Model.options.Metrics.ended("budget")
		i.add(q, failed(q.items, sentence(err)))
		return nil
	}
	kept, err = i.converse(ctx, q, text)
	if err != nil {
		return err
	}
	if len(kept.Failed) == 0 { // what failed may be answered another time
		if err := i.remember(ctx, key, kept); err != nil {
			return err
		}
	}
	i.Model.options.Metrics.ended(pick(len(kept.Failed) > 0, "failed", "answered"))
	return i.take(ctx, q, kept)
}

// take notes an answer, or asks in parts.
func (i *inquiry) take(ctx context.Context, q question, kept Kept) error {
	if !kept.Split {
		i.add(q, kept)
		return nil
	}
	parts := i.split(q)
	if parts == nil {
		i.add(q, failed(q.items, "the model cannot read or write as much at once"))
		return nil
	}
	for _, part := range parts {
		if err := i.put(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

func failed(items []item, reason string) Kept {
	kept := Kept{Failed: map[string]string{}}
	for _, one := range items {
		kept.Failed[one.key] = reason
	}
	return kept
}

// converse asks, has what is wrong mended once, asks for what still is wrong
// alone, and leaves it at that.
func (i *inquiry) converse(ctx context.Context, q question, text string) (Kept, error) {
	kept := Kept{Said: map[string]json.RawMessage{}}
	first := call{system: systemPrompt, turns: []turn{{true, text}}, form: q.form, pictures: q.pictures}
	r, err := i.call(ctx, first, &kept)
	if done, end := i.ended(q.items, r, err, &kept); done {
		return kept, end
	}
	wrong := i.listen(q, q.items, r.text, &kept)
	if len(wrong) == 0 {
		return kept, nil
	}
	// A turn to mend it, in view of what was said.
	again := first
	again.form = form(itemsIn(wrong))
	again.turns = append(slices.Clone(first.turns), turn{false, orNothing(r.text)}, turn{true, mend(wrong, again.form)})
	r, err = i.call(ctx, again, &kept)
	if done, end := i.ended(itemsIn(wrong), r, err, &kept); done {
		return kept, end
	}
	if wrong = i.listen(q, itemsIn(wrong), r.text, &kept); len(wrong) == 0 {
		return kept, nil
	}
	// Then those fields alone, without what went wrong before.
	alone := q
	alone.items = itemsIn(wrong)
	alone.form = form(alone.items)
	last := first
	last.form, last.turns = alone.form, []turn{{true, alone.ask(i.transcript)}}
	r, err = i.call(ctx, last, &kept)
	if done, end := i.ended(alone.items, r, err, &kept); done {
		return kept, end
	}
	for _, p := range i.listen(q, alone.items, r.text, &kept) {
		kept.fail(p.key, "the model's answer could not be used: "+p.reason)
	}
	return kept, nil
}

func (k *Kept) fail(key, reason string) {
	if k.Failed == nil {
		k.Failed = map[string]string{}
	}
	k.Failed[key] = reason
}

func orNothing(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)" // providers take no empty turn
	}
	return text[:min(len(text), longestEcho)]
}

const longestEcho = 20_000

// call asks the model once and accounts for it, whatever it answers.
func (i *inquiry) call(ctx context.Context, c call, kept *Kept) (reply, error) {
	r, err := i.Model.ask(ctx, c)
	if r.tokens.Calls > 0 {
		r.tokens = c.estimated(r)
		kept.Tokens.Add(r.tokens)
		i.use.spent(r.tokens)
		if noted := i.charge(ctx, r.tokens); noted != nil {
			return r, noted
		}
	}
	return r, err
}

// lettersAToken is how many bytes of text make a token, at the least: what a
// provider does not tell is rather thought too dear than free.
const lettersAToken = 3

// estimated gives what a call took, also when the provider does not tell.
func (c call) estimated(r reply) fieldlift.ModelTokens {
	tokens := r.tokens
	if tokens.Input == 0 {
		length := len(c.system) + len(c.form)
		for _, t := range c.turns {
			length += len(t.text)
		}
		tokens.Input = int64(length/lettersAToken) + 1
	}
	if tokens.Output == 0 {
		tokens.Output = int64(len(r.text)/lettersAToken) + 1
	}
	return tokens
}

// ended tells whether there is nothing to listen to, and what that means: a
// fault of ours that puts the document off, or items that failed.
func (i *inquiry) ended(items []item, r reply, err error, kept *Kept) (bool, error) {
	refused, isFault := errors.AsType[*fault](err)
	switch {
	case errors.Is(err, errTooLong), err == nil && r.cut:
		kept.Split, kept.Said, kept.Failed = true, nil, nil
		return true, nil
	case fieldlift.CodeOf(err) == fieldlift.ServiceUnavailable && err != nil:
		return true, err
	case isFault:
		// It does not want this question, and would not tomorrow.
		for _, one := range items {
			kept.fail(one.key, fmt.Sprintf("the model's provider refused the question (status %d)", refused.status))
		}
		return true, nil
	case err != nil:
		return true, err
	case r.refusal != "":
		for _, one := range items {
			kept.fail(one.key, "the model gave no answer: "+r.refusal)
		}
		return true, nil
	}
	return false, nil
}

// listen keeps what can be read of a reply and lists what cannot.
func (i *inquiry) listen(q question, items []item, text string, kept *Kept) []problem {
	object, err := cutOut(text)
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
