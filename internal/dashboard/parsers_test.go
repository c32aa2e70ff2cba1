package dashboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
	"fieldlift/internal/example"
)

// upload writes a form with a file: names and values in turn.
func upload(t *testing.T, content []byte, values ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i+1 < len(values); i += 2 {
		if err := form.WriteField(values[i], values[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if content != nil {
		file, err := form.CreateFormFile("file", "march.pdf")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), form.FormDataContentType()
}

// send posts a form with a file.
func send(t *testing.T, p *apptest.Pages, path string, content []byte, values ...string) apptest.Shown {
	t.Helper()
	body, contentType := upload(t, content, values...)
	return p.Do(t, "POST", path, body, contentType)
}

// asked posts a form as our scripts do, and reads the answer.
func asked[T any](t *testing.T, p *apptest.Pages, path, body, contentType string, status int) T {
	t.Helper()
	got := p.Do(t, "POST", path, body, contentType, "Accept", "application/json")
	var answer T
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || got.Status != status {
		t.Fatalf("%s: %d %s", path, got.Status, got.Body)
	}
	return answer
}

const formType = "application/x-www-form-urlencoded"

var parserPath = regexp.MustCompile(`^/parsers/par_[a-z0-9]+`)

// makeParser makes a parser through the form and gives its address.
func makeParser(t *testing.T, p *apptest.Pages, name string) string {
	t.Helper()
	got := p.Post(t, "/parsers/new", "name", name, "result_mode", "one_per_file")
	at := parserPath.FindString(got.Header.Get("Location"))
	if got.Status != http.StatusSeeOther || at == "" {
		t.Fatalf("%d %s %s", got.Status, got.Header.Get("Location"), got.Body)
	}
	return at
}

func wantShown(t *testing.T, got apptest.Shown, status int, texts ...string) {
	t.Helper()
	if got.Status != status {
		t.Errorf("the page has status %d, want %d: %s", got.Status, status, got.Body)
	}
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			t.Errorf("the page has no %q: %s", text, got.Body)
		}
	}
}

func wantGone(t *testing.T, got apptest.Shown, to string) {
	t.Helper()
	if got.Status != http.StatusSeeOther || got.Header.Get("Location") != to {
		t.Fatalf("%d to %q, want %q: %s", got.Status, got.Header.Get("Location"), to, got.Body)
	}
}

// TestParsersWithoutScripts makes, configures, tries and deletes a parser with
// nothing but forms.
func TestParsersWithoutScripts(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace := a.NewPerson(t, "grace@example.com", 10)
		p := a.PagesOf(t, grace)
		wantShown(t, p.Get(t, "/parsers"), 200, "A parser says what to read", "Try the example")
		wantShown(t, p.Get(t, "/parsers/new"), 200, "New parser")
		wantShown(t, p.Post(t, "/parsers/new", "name", " ", "result_mode", "one_per_file", "document_type", "No Slug", "description", "kept <b>"), 400,
			"name must not be empty.", "a slug such as invoice", "kept &lt;b&gt;")
		at := makeParser(t, p, "Bills <script>alert(1)</script>")
		wantShown(t, p.Get(t, "/"), 200, "does not know yet which values to read", at+"/fields")
		wantShown(t, p.Post(t, "/parsers/new", "name", "Bills <script>alert(1)</script>", "result_mode", "one_per_file"), 409)
		list := p.Get(t, "/parsers")
		wantShown(t, list, 200, "Bills &lt;script&gt;", "none yet")
		if strings.Contains(list.Body, "<script>alert") {
			t.Error("a name came through as HTML")
		}
		wantShown(t, p.Get(t, at), 200, "does not know yet what to read")
		wantShown(t, p.Get(t, at+"/try"), 200, "nothing to try yet")

		wrong := "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"total\": {\"type\": \"nothing\"}\n  }\n}"
		wantShown(t, p.Post(t, at+"/fields", "view", "schema", "schema", wrong), 400, "Line 4: ", "&#34;nothing&#34;")
		wantShown(t, p.Post(t, at+"/fields", "view", "schema", "schema", "{\n\"type\": \"object\",\n\"properties\": {,}}"), 400, "Line 3: ")
		wantGone(t, p.Post(t, at+"/fields", "view", "schema", "schema", `{"type":"object","properties":{"invoice_number":{"type":"string"},"total":{"type":"number"}},"required":["total"]}`),
			at+"/fields?view=schema&done=fields-saved")
		wantShown(t, p.Get(t, at+"/fields"), 200, "<b>invoice_number</b>", "required", "you have 10")
		wantShown(t, p.Get(t, at+"/fields?view=schema&done=fields-saved"), 200, "&#34;invoice_number&#34;: {", "The fields are saved.")
		wantShown(t, p.Get(t, at), 200, "<b>total</b>", "-F parser_id="+strings.TrimPrefix(at, "/parsers/"), a.URL()+"/v1/extractions")

		wantShown(t, send(t, p, at+"/try", example.Invoice()), 200, "LS-2026-0418", "578.1")
		wantShown(t, send(t, p, at+"/try", []byte("no file at all")), 400, "march.pdf: ")
		wantShown(t, p.Post(t, at+"/try"), 400, "Choose a file first.")

		wantGone(t, p.Post(t, at+"/settings", "name", "Bills", "result_mode", "one_per_page", "document_type", "invoice"), at+"/settings?done=parser-changed")
		wantShown(t, p.Post(t, at+"/settings", "name", "", "result_mode", "one_per_page"), 400, "name must not be empty.")
		wantShown(t, p.Get(t, at+"/settings"), 200, `value="Bills"`, `value="invoice"`, `value="one_per_page" checked`)

		wantGone(t, p.Post(t, at+"/delete"), "/parsers?done=parser-deleted")
		wantShown(t, p.Get(t, at), 404, "Not found")
		if balance, err := a.Store.Balance(t.Context(), grace.ID); err != nil || balance.Used != 0 {
			t.Errorf("%+v, %v", balance, err)
		}
	})
}

// TestDetectingWithoutScripts shows a parser a sample, and then looks at what
// other fields would find in it.
func TestDetectingWithoutScripts(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace := a.NewPerson(t, "grace@example.com", 3)
		p := a.PagesOf(t, grace)
		at := makeParser(t, p, "Bills")
		wantShown(t, send(t, p, at+"/detect", []byte("GIF89a")), 400, "march.pdf: ")
		wantShown(t, send(t, p, at+"/detect", nil), 400, "file or sample_file_id is required.")
		wantGone(t, send(t, p, at+"/detect", example.Invoice(), "prompt", ""), at+"/fields?done=fields-detected")
		shown := p.Get(t, at+"/fields?done=fields-detected")
		wantShown(t, shown, 200, "These fields were found in the sample", "<b>line_items</b>", "march.pdf", at+"/sample/1", "you have 2")

		picture := p.Get(t, at+"/sample/1")
		if picture.Status != 200 || !strings.HasPrefix(picture.Body, "\x89PNG") || picture.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%d %v", picture.Status, picture.Header)
		}
		for _, no := range []string{"0", "2", "x", "-1", "99999999999999999999"} {
			wantShown(t, p.Get(t, at+"/sample/"+no), 404)
		}
		wantShown(t, send(t, p, at+"/detect", example.Invoice()), 400, "has a schema already")

		before := filesBelow(t, a.Config.DataDir)
		found := asked[preview](t, p, at+"/preview", `view=fields&fields=[{"name":"due_date","type":"date"},{"name":"nothing_like_it"}]`, formType, 200)
		if string(found.Data) != `{"due_date":"2026-04-01","nothing_like_it":null}` || len(found.Metadata["/due_date"].Boxes) != 1 || found.Metadata["/due_date"].Page != 1 ||
			found.PageCount != 1 || found.Looked != 1 || found.Filename != "march.pdf" || len(found.Pictures) != 0 {
			t.Errorf("%s %+v", found.Data, found)
		}
		body, contentType := upload(t, example.Invoice(), "fields", `[{"name":"due_date","type":"date"}]`)
		found = asked[preview](t, p, at+"/try", body, contentType, 200)
		if string(found.Data) != `{"due_date":"2026-04-01"}` || len(found.Pictures) != 1 {
			t.Errorf("%s, %d pictures", found.Data, len(found.Pictures))
		}
		refused := asked[struct {
			Error struct{ Details []struct{ Field string } }
		}](t, p, at+"/preview", `view=fields&fields=[{"name":""}]`, formType, 400)
		if len(refused.Error.Details) != 1 || refused.Error.Details[0].Field != "fields[0].name" {
			t.Errorf("%+v", refused)
		}
		if after := filesBelow(t, a.Config.DataDir); len(after) != len(before) {
			t.Errorf("before the previews there were %q, then %q", before, after)
		}
		if balance, err := a.Store.Balance(t.Context(), grace.ID); err != nil || balance.Used != 1 {
			t.Errorf("%+v, %v", balance, err)
		}

		sample := regexp.MustCompile(`smp_[a-z0-9]+`).FindString(shown.Body)
		wantGone(t, send(t, p, at+"/detect", nil, "sample_file_id", sample, "replace_existing_schema", "true", "prompt", "only the totals"), at+"/fields?done=fields-detected")
		wantGone(t, send(t, p, at+"/detect", nil, "sample_file_id", sample, "replace_existing_schema", "true"), at+"/fields?done=fields-detected")
		wantShown(t, send(t, p, at+"/detect", nil, "sample_file_id", sample, "replace_existing_schema", "true"), 402, "1 credits; 0 are available")
	})
}

// preview is what scripts are told.
type preview struct {
	Filename  string
	PageCount int64 `json:"page_count"`
	Looked    int64
	Data      json.RawMessage
	Metadata  map[string]fieldlift.FieldMetadata
	Pictures  []struct{ Type, Content string }
}

// filesBelow lists what is kept of documents, and what waits on the disk.
func filesBelow(t *testing.T, dir string) (found []string) {
	t.Helper()
	for _, folder := range []string{blob.FolderName, "spool"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found = append(found, path)
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return found
}

// TestScansArePreviewedOnce: what was recognised of a sample is used again.
func TestScansArePreviewedOnce(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.PagesOf(t, a.NewPerson(t, "grace@example.com", 3))
	at := makeParser(t, p, "Scans")
	scan := apptest.Scan(t, example.Invoice(), 0)
	wantGone(t, send(t, p, at+"/detect", scan), at+"/fields?done=fields-detected")
	for range 3 {
		asked[preview](t, p, at+"/preview", `view=fields&fields=[{"name":"due_date","type":"date"}]`, formType, 200)
	}
	body, contentType := upload(t, scan)
	asked[preview](t, p, at+"/try", body, contentType, 200)
	metrics := p.Get(t, "/metrics").Body
	if !strings.Contains(metrics, "\nfieldlift_ocr_pages_total 1\n") {
		t.Errorf("the page was recognised more than once: %s", regexp.MustCompile(`fieldlift_ocr_pages_total \d+`).FindString(metrics))
	}
}

func TestLongFilesAreNotTried(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.PagesOf(t, a.NewPerson(t, "grace@example.com", 3))
	at := makeParser(t, p, "Long")
	p.Post(t, at+"/fields", "view", "fields", "fields", `[{"name":"total"}]`)
	long := apptest.PDF("1", "2", "3", "4", "5", "6")
	wantShown(t, send(t, p, at+"/try", long), 400, "it has 6 pages, and a file that is tried may have 5")
}

func TestTrialsAreRefused(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.PagesOf(t, a.NewPerson(t, "grace@example.com", 3))
	at := makeParser(t, p, "Refused")
	one := example.Invoice()
	wantShown(t, send(t, p, at+"/try", one), 400, "has no fields yet")
	wantShown(t, send(t, p, at+"/try", nil, "fields", `[{"name":"a"}]`), 400, "file is required")
	wantShown(t, send(t, p, at+"/try", one, "fields", `[{"name":"a"}]`, "schema", `{}`), 400, "Give fields or schema, not both.")
	wantShown(t, send(t, p, at+"/try", one, "fields", `[{"name":"a"},{"name":"a"}]`), 400, "is used twice")
	wantShown(t, send(t, p, at+"/try", one, "schema", `{"type":"array"}`), 400, "schema")
	wantShown(t, send(t, p, at+"/try", one, "fields", strings.Repeat("x", 300_000)), 400, "fields must be text")
	wantShown(t, send(t, p, at+"/try", one, "file", "not a file"), 400, "file must be sent as a file")
	body, contentType := upload(t, one, "fields", `[{"name":"a"}]`)
	boundary := "--" + strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	second := boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.pdf\"\r\n\r\nx\r\n"
	wantShown(t, p.Do(t, "POST", at+"/try", strings.Replace(body, boundary+"--", second+boundary+"--", 1), contentType), 400, "One file can be tried at a time.")
	wantShown(t, p.Do(t, "POST", at+"/try", body[:len(body)/2], contentType), 400, "not complete")
	wantShown(t, p.Post(t, at+"/preview", "view", "fields", "fields", `[{"name":"a"}]`), 404, "has no sample yet")

	body, contentType = upload(t, one, "fields", `[{"name":""}]`)
	told := asked[struct {
		Error struct{ Details []map[string]string }
	}](t, p, at+"/try", body, contentType, 400).Error.Details
	if len(told) != 1 || told[0]["field"] != "fields[0].name" || told[0]["message"] == "" {
		t.Errorf("scripts are told %v", told)
	}
}

func TestFieldsAndSchemaConvert(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.PagesOf(t, a.NewPerson(t, "grace@example.com", 3))
	type views struct {
		Fields json.RawMessage
		Schema string
		Loses  bool
	}
	fields := `[{"name":"a","type":"object","fields":[{"name":"b","type":"date","required":true}]},{"name":"c","type":"array","items":{"type":"object","fields":[{"name":"d","type":"number","enum":[1,2.50]}]}},{"name":"e","type":"array"}]`
	there := asked[views](t, p, "/parsers/convert", "view=fields&fields="+fields, formType, 200)
	back := asked[views](t, p, "/parsers/convert", "view=schema&schema="+there.Schema, formType, 200)
	if string(back.Fields) != fields || string(there.Fields) != fields || there.Loses || back.Loses {
		t.Errorf("%s\n%s\n%s", fields, there.Schema, back.Fields)
	}
	more := asked[views](t, p, "/parsers/convert", `view=schema&schema={"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`, formType, 200)
	if !more.Loses {
		t.Error("fields cannot say maxLength, and nobody is told")
	}
	none := asked[views](t, p, "/parsers/convert", `view=schema&schema=`, formType, 200)
	if string(none.Fields) != "[]" || none.Schema != "" {
		t.Errorf("%+v", none)
	}
	if got := p.Do(t, "POST", "/parsers/convert", "view=fields&fields=[{", formType, "Accept", "application/json"); got.Status != 400 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

func TestParsersArePaged(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 3)
	for i := range 53 {
		if _, err := a.Store.CreateParser(t.Context(), fieldlift.Parser{AccountID: grace.ID, Name: fmt.Sprint("Parser ", i), ResultMode: fieldlift.OnePerFile}); err != nil {
			t.Fatal(err)
		}
	}
	p := a.PagesOf(t, grace)
	first := p.Get(t, "/parsers")
	next := regexp.MustCompile(`/parsers\?cursor=[^"]+`).FindString(first.Body)
	rows := regexp.MustCompile(`href="/parsers/par_[a-z0-9]+">`)
	if n := len(rows.FindAllString(first.Body, -1)); n != 50 || next == "" {
		t.Fatalf("%d parsers, next %q", n, next)
	}
	second := p.Get(t, next)
	if n := len(rows.FindAllString(second.Body, -1)); n != 3 || strings.Contains(second.Body, "cursor=") {
		t.Errorf("%d parsers", n)
	}
	stranger := a.PagesOf(t, a.NewPerson(t, "eve@example.com", 3))
	wantShown(t, stranger.Get(t, next), 400)
}

// TestTheExample takes one click from a new account to an invoice that is read.
func TestTheExample(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace := a.NewPerson(t, "grace@example.com", 3)
		a.Key = a.NewKey(t, grace, "mine")
		p := a.PagesOf(t, grace)
		wantShown(t, p.Get(t, "/"), 200, "Three steps", "you have 3 credits", "Try the example")
		var parsers []string
		for i := range 2 {
			got := p.Post(t, "/example")
			where := regexp.MustCompile(`^/extractions/(ext_[a-z0-9]+)/documents/(doc_[a-z0-9]+)\?done=example-sent$`).FindStringSubmatch(got.Header.Get("Location"))
			if got.Status != http.StatusSeeOther || where == nil {
				t.Fatalf("%d %s %s", got.Status, got.Header.Get("Location"), got.Body)
			}
			results := a.Finished(t, where[1])
			if d := results.Documents[0]; d.DocumentID != where[2] || !strings.Contains(string(d.ExtractedData), `"total":578.10`) {
				t.Errorf("try %d: %s", i, d.ExtractedData)
			}
			parsers = append(parsers, results.ParserID)
		}
		if parsers[0] != parsers[1] {
			t.Error("the second try made another parser")
		}
		wantShown(t, p.Get(t, "/"), 200, "Last extractions", "Nothing among your last documents", "Example")
		wantShown(t, p.Get(t, "/parsers/"+parsers[0]), 200, "/extractions/ext_")

		// Who has changed the example's parser keeps it, and the example works all the same.
		p.Post(t, "/parsers/"+parsers[0]+"/fields", "view", "fields", "fields", `[{"name":"mine"}]`)
		if got := p.Post(t, "/example"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		wantShown(t, p.Get(t, "/parsers"), 200, "Invoices, example 1")
		wantShown(t, p.Post(t, "/example"), 402, "credits")
		if got := p.Get(t, "/example/invoice.pdf"); !strings.HasPrefix(got.Body, "%PDF") {
			t.Errorf("%d", got.Status)
		}
	})
}

// TestHomeTellsWhatNeedsALook: what failed or is doubtful stands on the first
// page.
func TestHomeTellsWhatNeedsALook(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace := a.NewPerson(t, "grace@example.com", 30)
		a.Key = a.NewKey(t, grace, "mine")
		parser := a.NewParser(t, "Bills", api.Field{Name: "invoice_number"}, api.Field{Name: "vat_number"})
		x := a.Accepted(t, parser, apptest.File{Name: "empty <i>.pdf", Content: apptest.PDF("nothing of it")})
		a.Finished(t, x.ExtractionID)
		p := a.PagesOf(t, grace)
		wantShown(t, p.Get(t, "/"), 200, "doubtful", "empty &lt;i&gt;.pdf", "/extractions/"+x.ExtractionID+"/documents/")
		wantShown(t, a.PagesOf(t, a.NewPerson(t, "eve@example.com", 3)).Get(t, "/"), 200, "Three steps")
	})
}

// TestParsersOfOthers tries every route of parsers with another account's
// parser, and signed out.
func TestParsersOfOthers(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 10)
	mine := a.PagesOf(t, grace)
	at := makeParser(t, mine, "Secret bills")
	wantGone(t, send(t, mine, at+"/detect", example.Invoice()), at+"/fields?done=fields-detected")
	file, fileType := upload(t, example.Invoice())
	routes := []struct{ method, path, body, contentType string }{
		{"GET", "", "", ""},
		{"GET", "/fields", "", ""},
		{"POST", "/fields", "view=fields&fields=[]", formType},
		{"POST", "/detect", file, fileType},
		{"POST", "/preview", `view=fields&fields=[{"name":"total"}]`, formType},
		{"GET", "/sample/1", "", ""},
		{"GET", "/try", "", ""},
		{"POST", "/try", file, fileType},
		{"GET", "/settings", "", ""},
		{"POST", "/settings", "name=Taken&result_mode=one_per_file", formType},
		{"POST", "/delete", "", formType},
	}
	eve := a.PagesOf(t, a.NewPerson(t, "eve@example.com", 10))
	nobody := a.NewPages(t)
	for _, r := range routes {
		for _, path := range []string{at, "/parsers/par_00000000000000000000000000", "/parsers/nonsense"} {
			if got := eve.Do(t, r.method, path+r.path, r.body, r.contentType); got.Status != 404 || strings.Contains(got.Body, "Secret") {
				t.Errorf("%s %s%s: %d %s", r.method, path, r.path, got.Status, got.Body)
			}
		}
		if got := nobody.Do(t, r.method, at+r.path, r.body, r.contentType); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/sign-in") {
			t.Errorf("%s %s of a stranger: %d", r.method, r.path, got.Status)
		}
	}
	for _, path := range []string{"/", "/parsers", "/parsers/new", "/example/invoice.pdf"} {
		if got := nobody.Get(t, path); got.Status != http.StatusSeeOther {
			t.Errorf("%s of a stranger: %d", path, got.Status)
		}
	}
	for _, path := range []string{"/example", "/parsers/new", "/parsers/convert"} {
		if got := nobody.Post(t, path); got.Status != http.StatusSeeOther {
			t.Errorf("%s of a stranger: %d", path, got.Status)
		}
	}
	// Another's sample is not to be had through a parser of one's own.
	sample := regexp.MustCompile(`smp_[a-z0-9]+`).FindString(mine.Get(t, at+"/fields").Body)
	own := makeParser(t, eve, "Mine")
	wantShown(t, send(t, eve, own+"/detect", nil, "sample_file_id", sample), 404)
	wantShown(t, mine.Get(t, at+"/settings"), 200, "Secret bills")
}
