// Package layout is the embedded engine: it finds the values of fields by
// where words stand on pages. Labels are recognised by the names of fields;
// values stand beside or below them, and rows below the heads of columns. It
// has no model and no network, gives the same answer every time, and leaves
// null what it would have to guess.
package layout

import (
	"context"
	"regexp"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// mostConfidence is the highest confidence that is given: layout alone is
// never sure.
const mostConfidence = 0.99

// Engine is the embedded engine. It can be used concurrently.
type Engine struct {
	lexicon *lexicon
	model   *model
}

// New makes an engine.
func New() *Engine { return &Engine{newLexicon(), newModel()} }

// Extract finds the values of the fields on the pages.
func (e *Engine) Extract(ctx context.Context, r engine.Request) (engine.Answer, error) {
	if err := ctx.Err(); err != nil {
		return engine.Answer{}, err
	}
	x, choices, err := e.prepare(ctx, r)
	if err != nil {
		return engine.Answer{}, err
	}
	lists := x.readLists()
	x.decide(choices)
	x.fillAddressParts()
	x.doubtSums()
	x.fillZeros()
	x.takeGiven(r.Given)
	for t, f := range lists {
		if len(f.Elements) > len(x.found[t].Elements) {
			x.found[t] = f
		}
	}
	a := assembly{extraction: x}
	return engine.Build(r.Fields, a.members(r.Fields)), nil
}

// prepare reads tables, and gathers the candidates of everything else.
func (e *Engine) prepare(ctx context.Context, r engine.Request) (*extraction, []choice, error) {
	p := newPlan(e.lexicon, r)
	x := &extraction{
		plan: p, document: newDocument(r.Pages), lexicon: e.lexicon, model: e.model, pages: r.Pages,
		found: make([]engine.Found, len(p.targets)), won: make([]float64, len(p.targets)),
		seen: make([]int, len(p.targets)), rows: make([][]engine.Found, len(p.tables)), rulings: newRulings(r.Pages), figures: map[cellOf]bool{},
		counts: map[string]wordCount{}, looks: map[string]*look{}, cityLabels: map[int]bool{},
	}
	x.level, x.upright = newRuleIndexes(r.Pages)
	x.heedLanguage()
	x.heedDateOrder()
	if err := x.readTables(ctx); err != nil {
		return nil, nil, err
	}
	x.findFields()
	x.findParagraphs()
	x.findAddresses()
	x.findSections()
	x.findLetterhead()
	x.gatherFacts()
	x.figureRows = x.findRows()
	x.findSettled()
	choices, err := x.choices(ctx)
	return x, choices, err
}

// extraction is the work on one request.
type extraction struct {
	*plan
	*document
	lexicon     *lexicon
	model       *model
	pages       []page.Page
	facts       facts
	sections    []section
	fields      []filledField
	labelsFound [][]labelled // by target
	figureRows  []figureRow
	head        []headLine
	headOf      map[int]int // by line: its place in the letterhead

	paragraphs    []paragraph
	paragraphOf   []int  // by segment
	paragraphLine []int  // by segment: its line in its paragraph
	addressed     []bool // by segment: it reads like part of an address

	found []engine.Found   // by target
	won   []float64        // by target: the probability of what was found
	seen  []int            // by target: scratch of labelsOf
	rows  [][]engine.Found // by table

	rulings []ruling        // by page
	figures map[cellOf]bool // what isFigure found out

	counts map[string]wordCount // by printed word: what countOf found out
	looks  map[string]*look     // by text: what lookOf found out
	made   []candidate          // scratch of generate

	cityLabels map[int]bool // what asksForCity found out

	level, upright []ruleIndex // by page
}

// assembly walks the schema in the order in which it was planned and puts what
// was found where it belongs.
type assembly struct {
	*extraction
	target, table int // the next ones
}

func (a *assembly) members(fields []fieldlift.Field) []engine.Found {
	found := make([]engine.Found, len(fields))
	for i, f := range fields {
		switch shapeOf(f) {
		case isObject:
			found[i].Members = a.members(f.Fields)
		case isTable:
			found[i].Elements = a.rows[a.table]
			a.table++
			for _, column := range f.Items.Fields {
				if shapeOf(column) == isScalar {
					a.target++
				}
			}
		case isScalar, isList:
			found[i] = a.found[a.target]
			a.target++
		}
	}
	return found
}

// heedLanguage reads the document's labels in the language that its words
// speak.
func (x *extraction) heedLanguage() {
	const enough = 2000 // words tell it
	texts := make([]string, 0, min(len(x.words), enough))
	for _, w := range x.words[:min(len(x.words), enough)] {
		texts = append(texts, w.Text)
	}
	language := x.lexicon.languageOf(texts)
	x.labels.readIn(language)
	x.lexicon = x.lexicon.in(language)
}

// heedDateOrder lets the schema say how the document writes its dates, where
// a description tells.
func (x *extraction) heedDateOrder() {
	for _, t := range x.targets {
		if t.field.Type != fieldlift.DateField {
			continue
		}
		told := strings.ToLower(t.field.Description)
		switch {
		case monthFirst.MatchString(told):
			x.locale.DayFirst = false
		case dayFirst.MatchString(told):
			x.locale.DayFirst = true
		}
	}
}

var (
	monthFirst = regexp.MustCompile(`month (comes )?first|us.?style|american|mm[/.-]dd`)
	dayFirst   = regexp.MustCompile(`day (comes )?first|european|dd[/.-]mm`)
)
