package layout

import "testing"

const lifeFields = `[{"name":"work_experience","type":"array","fields":[{"name":"company"},{"name":"title"},{"name":"start_date"},{"name":"end_date"}]},
	{"name":"education","type":"array","fields":[{"name":"institution"},{"name":"qualification"},{"name":"end_date"}]}]`

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"position and company on a line": {`
WORK EXPERIENCE
Partner - Whitestone & Sons LLP
January 2020 - Present
• Leads a team of eight

Clerk - Harbour Office
May 2015 - June 2019
• Kept the books

EDUCATION
Bachelor of Laws - Eastwood University
2011 - 2015`, `{"work_experience":[{"company":"Whitestone & Sons LLP","title":"Partner","start_date":"January 2020","end_date":null},{"company":"Harbour Office","title":"Clerk","start_date":"May 2015","end_date":"June 2019"}],` +
			`"education":[{"institution":"Eastwood University","qualification":"Bachelor of Laws","end_date":"2015"}]}`},
		"time beside the company": {`
Employment
Professor
Institute of Ships | Norway | 2015–2020

Education
PhD in Hydraulics
Seaside University | Norway | 2005-2009`, `{"work_experience":[{"company":"Institute of Ships","title":"Professor","start_date":"2015","end_date":"2020"}],"education":[{"institution":"Seaside University","qualification":"PhD in Hydraulics","end_date":"2009"}]}`},
		"no times": {`
WORK EXPERIENCE
I have worked at sea all my life.`, `{"work_experience":null,"education":null}`},
	} {
		answer := extract(t, lifeFields, sheet(1, c.text))
		if string(answer.Data) != c.want {
			t.Errorf("%s: %s", name, answer.Data)
		}
		checkAnswer(t, fieldsOf(t, lifeFields), answer)
	}
}
