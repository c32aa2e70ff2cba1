package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/golden"
)

func evalCommand() command {
	return command{
		name:     "eval",
		synopsis: "CASES… [flags]",
		summary:  "Measure extraction on labelled files",
		about: `
Extracts from files for which you know the right answer, by the same path as
the service, and says how good the values are: your own golden set, your own
gate before an upgrade.

CASES is a file with one JSON object a line, or a folder with such a file
called cases.jsonl. Files are named relative to it:

  {"file":"docs/a.pdf",
   "parser":{"fields":[{"name":"total","type":"number"}],"document_type":"invoice"},
   "expected":{"total":1234.5}}

"parser" takes what a parser of the service takes: fields or schema, result_mode,
document_type. A value that should not be found is null or left out. With
one_per_page, "expected" is a list with an object for each page. For a field,
"match":"alnum" compares letters and digits only, and "match":"abs" ignores the
sign of a number. Writing does not matter: "1.234,50 EUR" is 1234.5, and "3 May
2026" is 2026-05-03.

Of each set and field it tells: exact (the share of expected values that came
back right), anls (the same, where a value that is nearly right counts in part),
F1 (of values, in tables of cells), row F1 (whole rows), omitted (expected, not
returned), invented (returned, not expected). The doc score is the mean over
documents of the mean over their fields. The calibration table says whether
confidences mean what they say, and "taking only" what you would have right if
you let people look at the rest.

--misfit measures the opposite: each file is asked for fields of another set's
parser that have no word in common with its own, so nothing should come back.

--baseline compares with what an earlier run has written with --json. A set's doc
score, F1 or row F1, or a field's F1, that is worse by more than --tolerance, or
the calibration error of all, ends it with exit code 1.

--engine auto or model measures with a language model taking part; how many
fields it was asked for, and what that took, is told at the end.

Examples:

  fieldlift eval golden/
  fieldlift eval sets/*/cases.jsonl --cache /tmp/pages --failures
  fieldlift eval golden/ --json now.json --baseline before.json --tolerance 0.01
  fieldlift eval sets/* --misfit
` + evalOCRAbout,
		run: func(ctx context.Context, c *call) error {
			if slices.Contains(c.args, "--ocr") {
				return evalOCR(ctx, c)
			}
			return eval(ctx, c)
		},
	}
}

// evalOptions are what the flags of the command say.
type evalOptions struct {
	cases       []golden.Case
	misfit      bool
	failures    bool
	cache       string
	json        string
	predictions string
	baseline    *golden.Report
	tolerance   float64
	config      app.Config
}

func eval(ctx context.Context, c *call) error {
	o, err := readEvalOptions(c)
	if err != nil {
		return err
	}
	extractor, err := app.NewExtractor(o.config)
	if err != nil {
		return err
	}
	defer extractor.Close()
	var measured golden.Extractor = extractor
	if o.cache != "" {
		measured = golden.Cached{Extractor: extractor, Dir: o.cache, Revision: extractor.Reading(ctx)}
	}
	progress := newProgress(c.Stderr, "measuring", len(o.cases))
	outcomes, err := golden.Run(ctx, measured, o.cases, o.config.Workers, progress.step)
	progress.end()
	if err != nil {
		return errors.New("interrupted; not all cases were measured")
	}
	if err := unmeasured(outcomes); err != nil {
		return err
	}
	report, misses := golden.Grade(outcomes)
	report.Misfit = o.misfit
	w := evalWriter{w: c.Stdout}
	if o.failures {
		w.misses(misses)
	}
	w.report(report)
	if w.err != nil {
		return w.err
	}
	if err := o.keep(report, outcomes); err != nil {
		return err
	}
	return o.compare(c, report)
}

// unmeasured tells why figures would be those of something else than what was to
// be measured: a model that cannot be asked, a disk that is full.
func unmeasured(outcomes []golden.Outcome) error {
	var first error
	n := 0
	for _, one := range outcomes {
		if one.Err != nil && fieldlift.CodeOf(one.Err) == fieldlift.ServiceUnavailable {
			first = cmp.Or(first, one.Err)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	sentence := first.Error()
	if told, ok := errors.AsType[*fieldlift.Error](first); ok {
		sentence = told.Message
	}
	return fmt.Errorf("%d of %d cases could not be measured: %s", n, len(outcomes), sentence)
}

func readEvalOptions(c *call) (o evalOptions, err error) {
	o.config = app.Default()
	sets := c.text("set", "", "only these sets, by name, with commas between")
	only := c.text("only", "", "only files whose name has this in it")
	misfit := c.boolean("misfit", "ask each file for fields of another set's parser instead: whatever comes back is invented")
	failures := c.boolean("failures", "print each value that is not right")
	jsonFile := c.text("json", "", "write all figures to this file")
	predictions := c.text("predictions", "", "write what was returned to SET.jsonl in this folder, for other programs that score")
	baseline := c.text("baseline", "", "compare with the figures in this file, which --json has written")
	tolerance := c.fraction("tolerance", 0.01, "how much lower a figure may be than in the baseline; 0.01 is one point of a hundred")
	cache := c.text("cache", "", "keep what was read from files in this folder, so that the next run takes the engine's time only")
	workers := c.number("workers", int64(o.config.Workers), "how many files are worked on at once")
	scans, models := scanFlags(c), modelFlags(c)
	pages := c.number("max-pages", int64(o.config.MaxPages), "the most pages of a file")
	pixels := c.number("max-pixels", int64(o.config.MaxPixels), "the most pixels of an image")
	paths, err := c.parse("CASES…")
	if err != nil {
		return o, err
	}
	o.config.Workers, o.config.MaxPages, o.config.MaxPixels = int(*workers), int(*pages), int(*pixels)
	scans(&o.config)
	models(&o.config)
	o.misfit, o.failures, o.cache, o.json, o.predictions, o.tolerance = *misfit, *failures, *cache, *jsonFile, *predictions, *tolerance
	o.cases = c.cases(paths)
	if o.misfit {
		if o.cases = golden.Misfits(o.cases); len(o.cases) == 0 && len(paths) > 0 {
			c.refuse("--misfit: sets with different parsers are needed")
		}
	}
	o.cases = c.choose(o.cases, *sets, *only)
	if *baseline != "" {
		o.baseline = c.baseline(*baseline)
	}
	return o, c.err(o.config.Validate())
}

// fraction defines a flag that takes a number from 0 to 1.
func (f *flags) fraction(name string, usual float64, usage string) *float64 {
	into := &usual
	f.custom(name, strconv.FormatFloat(usual, 'f', -1, 64), usage, func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
			return fmt.Errorf("a number from 0 to 1 is needed, not %q", s)
		}
		*into = x
		return nil
	})
	return into
}

// cases reads all files of cases; what is wrong with them is collected.
func (c *call) cases(paths []string) []golden.Case {
	var all []golden.Case
	from := map[string]string{}
	for _, path := range paths {
		cases, err := golden.Load(path)
		if err != nil {
			c.faults = append(c.faults, strings.Split(err.Error(), "\n")...)
		}
		if len(cases) == 0 {
			continue
		}
		set := cases[0].Set
		if before, twice := from[set]; twice {
			c.refuse("%s and %s are both called %s", before, path, set)
		}
		from[set] = path
		all = append(all, cases...)
		if partly := countPartly(cases); partly > 0 {
			_, _ = fmt.Fprintf(c.Stderr, "%s: in %d of %d cases nobody looked at every value: what was not looked at counts as right, so the figures flatter.\n", path, partly, len(cases))
		}
	}
	return all
}

// choose keeps the cases that --set and --only name.
func (c *call) choose(cases []golden.Case, sets, only string) []golden.Case {
	var wanted []string
	for name := range strings.SplitSeq(sets, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		wanted = append(wanted, name)
		if !slices.ContainsFunc(cases, func(one golden.Case) bool { return one.Set == name }) {
			c.refuse("--set: there is no set called %q", name)
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(cases), func(one golden.Case) bool {
		return wanted != nil && !slices.Contains(wanted, one.Set) || !strings.Contains(one.File, only)
	})
	if len(chosen) == 0 && len(cases) > 0 {
		c.refuse("--set and --only leave no case to measure")
	}
	return chosen
}

func (c *call) baseline(file string) *golden.Report {
	var r golden.Report
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && len(r.Sets) == 0 {
		err = fmt.Errorf("%s holds no figures that --json has written", file)
	}
	if err != nil {
		c.refuse("--baseline: %v", err)
	}
	return &r
}

// keep writes the files that were asked for.
func (o evalOptions) keep(r golden.Report, outcomes []golden.Outcome) error {
	if o.json != "" {
		text, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile(o.json, append(text, '\n'), 0o600)
		}
		if err != nil {
			return err
		}
	}
	if o.predictions == "" {
		return nil
	}
	bySet := map[string][]byte{}
	for _, one := range outcomes {
		line, err := one.Prediction()
		if err != nil {
			return err
		}
		bySet[one.Case.Set] = append(bySet[one.Case.Set], line...)
	}
	if err := os.MkdirAll(o.predictions, 0o750); err != nil {
		return err
	}
	for set, lines := range bySet {
		if err := os.WriteFile(filepath.Join(o.predictions, set+".jsonl"), lines, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// compare tells what changed since the baseline; it fails when something is
// worse.
func (o evalOptions) compare(c *call, now golden.Report) error {
	if o.baseline == nil {
		return nil
	}
	if o.baseline.Misfit != now.Misfit {
		return errors.New("the baseline was measured with --misfit and this run without, or the other way round")
	}
	compared := golden.Compare(*o.baseline, now, o.tolerance)
	w := evalWriter{w: c.Stdout}
	w.comparison(compared)
	if w.err != nil {
		return w.err
	}
	if n := compared.Worse(); n > 0 {
		return fmt.Errorf("%d figures are worse than in the baseline by more than %v", n, o.tolerance)
	}
	return nil
}

func countPartly(cases []golden.Case) (partly int) {
	for _, c := range cases {
		if c.Partly {
			partly++
		}
	}
	return partly
}
