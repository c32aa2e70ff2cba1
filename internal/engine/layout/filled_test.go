package layout

import (
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/page"
)

// filled lays a form out in which the words after a "‹" were filled in.
func filled(text string) page.Page {
	p := sheet(1, text)
	for i, w := range p.Words {
		if bare, ok := strings.CutPrefix(w.Text, "‹"); ok {
			p.Words[i].Text, p.Words[i].Source = bare, fieldlift.SourceForm
		}
	}
	return p
}

func TestWhatWasFilledIn(t *testing.T) {
	p := filled(`
Name of the owner                          Country
‹Gabriel ‹Jesus                            ‹Brazil

State or province no.
       ‹CA

The owner makes a claim under the treaty named above, by its Article and paragraph
‹21 of the treaty, to a ‹3 % rate on (specify the type of income):
‹Commissions, ‹Bonuses

Street address (including apt. no.)
‹130 ‹Westchester ‹Lane

City or town, state or province, country, and ZIP or foreign postal code
‹Sunnyvale, ‹CA ‹12345`)
	const fields = `[{"name":"owner_name"},{"name":"country"},{"name":"state_no"},{"name":"article_paragraph"},{"name":"type_of_income"},{"name":"address"}]`
	const want = `{"owner_name":"Gabriel Jesus","country":"Brazil","state_no":"CA","article_paragraph":"21","type_of_income":"Commissions, Bonuses",` +
		`"address":"130 Westchester Lane Sunnyvale, CA 12345"}`
	answer := extract(t, fields, p)
	if string(answer.Data) != want {
		t.Errorf("got  %s\nwant %s", answer.Data, want)
	}
	checkAnswer(t, fieldsOf(t, fields), answer)
}

func TestFilledWordsPartFromPrintedOnes(t *testing.T) {
	d := newDocument([]page.Page{filled("I am a resident of ‹Brazil within the ‹3 % zone of ‹South ‹America")})
	var got []string
	for _, s := range d.segments {
		got = append(got, d.text(s.span))
	}
	if want := "I am a resident of|Brazil|within the|3 % zone of|South America"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

func TestBoxesOfOneKind(t *testing.T) {
	const fields = `[{"name":"tax_class_partnership","type":"boolean"},{"name":"tax_class_trust","type":"boolean"},{"name":"tax_class_other","type":"boolean"}]`
	answer := extract(t, fields, sheet(1, `
Check the box for the tax class of the person. The tax class decides.

☐ Partnership     ☒ Trust     ☐ Other (see instructions)`))
	if want := `{"tax_class_partnership":false,"tax_class_trust":true,"tax_class_other":false}`; string(answer.Data) != want {
		t.Errorf("%s", answer.Data)
	}
}
