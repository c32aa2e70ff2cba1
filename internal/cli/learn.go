package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"fieldlift/internal/app"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/golden"
	"fieldlift/internal/score"
)

func learnCommand() command {
	return command{
		name:     "learn",
		synopsis: "CASES… --output FILE [flags]",
		summary:  "Learn what evidence weighs from labelled files",
		about: `
Learns the weights by which the embedded engine tells the right value among the
candidates for a field, and how often values of a certain score are right. CASES
are as for "fieldlift eval". The result is a readable table with the figures of
its training: fields of documents that were left out in turn.

The program has such a table built in (internal/engine/layout/weights.tsv); a new
one takes effect when the program is built with it.

Examples:

  fieldlift learn golden/ --output weights.tsv
  fieldlift learn sets/*/cases.jsonl --cache /tmp/pages --output weights.tsv`,
		run: learn,
	}
}

func learn(ctx context.Context, c *call) error {
	config := app.Default()
	output := c.text("output", "", "the file to write the weights to")
	cache := c.text("cache", "", "keep what was read from files in this folder, so that the next run does not read them again")
	workers := c.number("workers", int64(config.Workers), "how many files are read at once")
	scans := scanFlags(c)
	paths, err := c.parse("CASES…")
	if err != nil {
		return err
	}
	config.Workers = int(*workers)
	scans(&config)
	cases := c.cases(paths)
	if *output == "" {
		c.refuse("--output is needed: the file to write the weights to")
	}
	if err := c.err(config.Validate()); err != nil {
		return err
	}
	extractor, err := app.NewExtractor(config)
	if err != nil {
		return err
	}
	defer extractor.Close()
	var reading golden.Extractor = extractor
	if *cache != "" {
		reading = golden.Cached{Extractor: extractor, Dir: *cache, Revision: extractor.Reading(ctx)}
	}
	examples, err := c.examples(ctx, reading, cases)
	if err != nil {
		return err
	}
	lesson, err := layout.Learn(ctx, examples, func(step string) { c.tell("%s", step) })
	if err != nil {
		return err
	}
	for _, f := range lesson.Figures {
		if _, err := fmt.Fprintf(c.Stdout, "%-32s %5d fields  right %5.1f %%  wrong %4d  omitted %4d  invented %4d\n",
			f.Set, f.Fields, 100*float64(f.Right)/float64(max(1, f.Fields)), f.Wrong, f.Omitted, f.Invented); err != nil {
			return err
		}
	}
	return os.WriteFile(*output, []byte(lesson.Weights), 0o600)
}

// tell says something to the person at the terminal; whether it arrives does
// not matter.
func (c *call) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(c.Stderr, format+"\n", args...)
}

// examples reads the cases' files. One that cannot be read is told of and left
// out.
func (c *call) examples(ctx context.Context, reading golden.Extractor, cases []golden.Case) ([]layout.Example, error) {
	progress := newProgress(c.Stderr, "reading", len(cases))
	defer progress.end()
	var examples []layout.Example
	for _, one := range cases {
		document, err := reading.Read(ctx, one.Path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		progress.step()
		if err != nil || len(one.Expected) != 1 {
			if err != nil {
				c.tell("%s: %s", one.File, explain(err))
			}
			continue
		}
		example := layout.Example{
			Set:     one.Set,
			Request: engine.Request{Pages: document.Pages, Fields: one.Wanted.Schema.Fields(), DocumentType: one.Wanted.DocumentType},
			Right:   func(pointer string, v any) bool { return isExpected(one, pointer, v) },
			Cells:   func(a engine.Answer) []layout.Outcome { return cellsOf(one, a) },
		}
		examples = append(examples, example)
	}
	return examples, nil
}

// isExpected reports whether a value is what a case expects at a pointer.
func isExpected(c golden.Case, pointer string, v any) bool {
	var f score.Field
	var at any = c.Expected[0]
	fields := c.Fields
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		f = score.Field{Name: step}
		for _, known := range fields {
			if known.Name == step {
				f = known
			}
		}
		fields = f.Fields
		object, _ := at.(*score.Object)
		at = object.Get(step)
	}
	return score.Same(f, at, v)
}

// cellsOf tells of the values in arrays how sure the engine was of them and
// whether they are right.
func cellsOf(c golden.Case, a engine.Answer) []layout.Outcome {
	decoded, err := score.Decode(a.Data)
	returned, ok := decoded.(*score.Object)
	if err != nil || !ok {
		return nil
	}
	var outcomes []layout.Outcome
	for _, v := range score.Document(c.Fields, c.Expected[0], returned).Values {
		m, given := a.Metadata[v.Path]
		if given && strings.Count(v.Path, "/") > 1 && isInArray(a.Data, v.Path) {
			outcomes = append(outcomes, layout.Outcome{Probability: m.Confidence, Right: v.Verdict == score.Right})
		}
	}
	return outcomes
}

// isInArray reports whether a pointer's first step leads to an array.
func isInArray(data json.RawMessage, pointer string) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil {
		return false
	}
	step, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	return bytes.HasPrefix(bytes.TrimSpace(top[step]), []byte("["))
}
