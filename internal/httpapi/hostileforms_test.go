package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

const (
	formType = "multipart/form-data; boundary=b"
	formEnd  = "--b--\r\n"
)

func textPart(name, value string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

// filePart writes a part whose disposition ends as given.
func filePart(disposition string, content []byte) string {
	return "--b\r\nContent-Disposition: form-data; name=\"files\"; " + disposition + "\r\n\r\n" + string(content) + "\r\n"
}

// wantUntouched wants that nothing was stored, charged or left over. An upload
// that was cut off is cleared away when the server has noticed, soon after.
func wantUntouched(t *testing.T, a *apptest.App) {
	t.Helper()
	list := apptest.Into[api.ExtractionList](t, a.Send(t, "GET", "/v1/extractions", nil).WantStatus(t, 200))
	credits, err := a.Client().Credits(t.Context())
	if err != nil || len(list.Extractions) != 0 || credits.Used != 0 || credits.Available != 1000 {
		t.Errorf("%d extractions, %+v, %v", len(list.Extractions), credits, err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := append(filesBelow(t, filepath.Join(a.Config.DataDir, "spool")), filesBelow(t, filepath.Join(a.Config.DataDir, blob.FolderName))...)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("files are left: %v", left)
		}
	}
}

func TestHostileForms(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := textPart("parser_id", a.NewParser(t, "Invoices", invoiceFields...))
	good := filePart(`filename="a.pdf"`, apptest.Invoice("A"))
	unnamed := "--b\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\nx\r\n"
	for name, test := range map[string]struct{ body, says string }{
		"thousands of unknown parts":          {parser + good + strings.Repeat(textPart("x", "y"), 20_000) + formEnd, "parts"},
		"thousands of files without a name":   {parser + strings.Repeat(unnamed, 20_000) + formEnd, "parts"},
		"many files without a name":           {parser + strings.Repeat(unnamed, 60) + formEnd, "file name"},
		"thousands of empty files":            {parser + strings.Repeat(filePart(`filename="a"`, nil), 20_000) + formEnd, "parts"},
		"51 files":                            {parser + strings.Repeat(good, 51) + formEnd, "50 files"},
		"a header of 20 MB":                   {parser + filePart(`filename="`+strings.Repeat("a", 20<<20)+`"`, apptest.Invoice("A")) + formEnd, "multipart"},
		"a part with 20,000 headers":          {parser + "--b\r\n" + strings.Repeat("A: b\r\n", 20_000) + "\r\n\r\n" + formEnd, "multipart"},
		"a header without a colon":            {parser + "--b\r\nnonsense\r\n\r\nx\r\n" + formEnd, "multipart"},
		"no end":                              {parser + good, "multipart"},
		"an end within a file":                {parser + good[:len(good)-100], "multipart"},
		"nothing":                             {" ", "parser_id"},
		"no part":                             {formEnd, "parser_id"},
		"another boundary":                    {strings.ReplaceAll(parser+good+formEnd, "--b", "--c"), "parser_id"},
		"parts without a name":                {"--b\r\n\r\nx\r\n" + formEnd, "parser_id"},
		"a disposition that is none":          {parser + "--b\r\nContent-Disposition: form-data; name=\"files; filename=\r\n\r\nx\r\n" + formEnd, "files"},
		"a file name with control characters": {parser + filePart("filename=\"a\x00b\x1b[31m.pdf\"", apptest.Invoice("A")) + formEnd, "multipart"},
		"two parser_id":                       {parser + parser + good + formEnd, "parser_id"},
		"two names":                           {parser + textPart("name", "a") + textPart("name", "b") + good + formEnd, "name"},
		"a parser_id of 5 kB":                 {textPart("parser_id", strings.Repeat("p", 5000)) + good + formEnd, "parser_id"},
		"a name that is not UTF-8":            {parser + textPart("name", "\xff") + good + formEnd, "name"},
		"a name with a line break":            {parser + textPart("name", "a\nb") + good + formEnd, "name"},
		"a name of null bytes":                {parser + textPart("name", "\x00") + good + formEnd, "name"},
		"a parser_id sent as a file":          {strings.Replace(parser, `"parser_id"`, `"parser_id"; filename="p"`, 1) + filePart(`filename="e.pdf"`, nil) + formEnd, "e.pdf"},
		"one bad file in front of a good one": {parser + filePart(`filename="bad.pdf"`, []byte("bad")) + good + formEnd, "bad.pdf"},
		"one bad file behind a good one":      {parser + good + filePart(`filename="bad.pdf"`, []byte("bad")) + formEnd, "bad.pdf"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			answer := a.Send(t, "POST", "/v1/extractions", test.body, "Content-Type", formType)
			refusal := apptest.Into[api.ErrorEnvelope](t, answer).Error
			if answer.Status != 400 || refusal.Code != overLimit && refusal.Code != unsupported || !strings.Contains(answer.Text, test.says) {
				t.Errorf("%d %.300s", answer.Status, answer.Text)
			}
			if len(answer.Text) > 2000 {
				t.Errorf("the answer has %d bytes: %.300s", len(answer.Text), answer.Text)
			}
			if took := time.Since(began); took > goodPatience {
				t.Errorf("it took %s", took)
			}
		})
	}
	wantUntouched(t, a)
}

func TestHostileFilenames(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := textPart("parser_id", a.NewParser(t, "Invoices", invoiceFields...))
	for given, want := range map[string]string{
		`filename="../../../etc/passwd"`:                        "passwd",
		`filename="..\\..\\boot.ini"`:                           "boot.ini",
		`filename="C:\secret\a.pdf"`:                            "a.pdf",
		`filename=".."`:                                         "document",
		`filename="/"`:                                          "document",
		`filename="."`:                                          "document",
		"filename=\"a\tb.pdf\"":                                 "a_b.pdf",
		`filename*=UTF-8''a%00b%1b%5b31m.pdf`:                   "a_b_[31m.pdf",
		"filename=\"\xff\xfe.pdf\"":                             "__.pdf",
		`filename="` + strings.Repeat("ü", 5000) + `.pdf"`:      strings.Repeat("ü", 127),
		`filename*=UTF-8''%2e%2e%2fR%C3%A9sum%C3%A9%0d%0a.pdf`:  "Résumé__.pdf",
		"filename=\"invoice\u202efdp.exe\"":                     "invoice_fdp.exe",
		`filename="<script>alert(1)</script>.pdf"`:              "script>.pdf",
		`filename=a.pdf; padding=` + strings.Repeat("x", 1<<20): "a.pdf",
	} {
		body := parser + textPart("unknown", "field") + filePart(given, apptest.Invoice("N-1")) + formEnd
		answer := a.Send(t, "POST", "/v1/extractions", body, "Content-Type", formType)
		if answer.Status != 202 {
			t.Errorf("%.80q: %d %s", given, answer.Status, answer.Text)
			continue
		}
		x := apptest.Into[api.AcceptedEnvelope](t, answer).Extraction
		if x.Documents[0].Filename != want {
			t.Errorf("%.80q is called %q, want %q", given, x.Documents[0].Filename, want)
		}
		if results := a.Finished(t, x.ExtractionID); results.Status != "completed" {
			t.Errorf("%.80q: %s", given, results.Status)
		}
		path := "/v1/extractions/" + x.ExtractionID + "/documents/" + x.Documents[0].DocumentID + "/export"
		disposition := a.Send(t, "GET", path, nil).WantStatus(t, 200).Header.Get("Content-Disposition")
		if strings.ContainsAny(disposition, "\r\n\x00/\\") || strings.Contains(disposition, "..") {
			t.Errorf("%.80q is exported as %q", given, disposition)
		}
	}
	if left := filesBelow(t, filepath.Join(a.Config.DataDir, "spool")); len(left) > 0 {
		t.Errorf("files are left in the spool folder: %v", left)
	}
}

// begin opens a connection and sends the head of a request and the beginning
// of its body.
func begin(t *testing.T, a *apptest.App, request string, length int, body string) net.Conn {
	t.Helper()
	connection := dial(t, strings.TrimPrefix(a.URL(), "http://"))
	if _, err := fmt.Fprintf(connection, "%s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		request, a.Key, formType, length, body); err != nil {
		t.Fatal(err)
	}
	return connection
}

// wantAnswer wants an answer with the status, and then the end of the
// connection, within a time.
func wantAnswer(t *testing.T, connection net.Conn, within time.Duration, status int) {
	t.Helper()
	began := time.Now()
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Errorf("no answer after %s: %v", time.Since(began), err)
		return
	}
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != status {
		t.Errorf("%d %s", response.StatusCode, text)
	}
	if _, err := connection.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the connection stays open: %v", err)
	}
	if took := time.Since(began); took > within {
		t.Errorf("it took %s", took)
	}
}

const (
	uploadStall = 300 * time.Millisecond
	// stallPatience is for an upload that stands still, the wait for what may
	// still come of it, and a busy machine.
	stallPatience = 6 * time.Second
)

func TestHostileUploads(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.UploadStall, c.MaxFileBytes = uploadStall, 10_000_000 }))
	parserID := a.NewParser(t, "Invoices", invoiceFields...)
	parser := textPart("parser_id", parserID)
	const submit = "POST /v1/extractions"
	file := filePart(`filename="a.pdf"`, apptest.Invoice("A"))
	begun := parser + file + file[:len(file)/2]
	t.Run("a file that never ends", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 10_000_000, begun), stallPatience, 400)
	})
	t.Run("a small file that never ends", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 10_000, begun), stallPatience, 400)
	})
	t.Run("a header that never ends", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 10_000, parser+"--b\r\nContent-Disp"), stallPatience, 400)
	})
	t.Run("a body that never begins", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 10_000, ""), stallPatience, 400)
	})
	t.Run("a mistake, and then nothing", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 10_000, textPart("parser_id", strings.Repeat("p", 5000))), stallPatience, 400)
	})
	t.Run("a byte now and then", func(t *testing.T) {
		connection := begin(t, a, submit, 10_000_000, begun)
		go func() {
			for {
				if _, err := connection.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(uploadStall / 3)
			}
		}()
		wantAnswer(t, connection, 2*stallPatience, 400)
	})
	t.Run("uploads that are cut off", func(t *testing.T) {
		for cut := 1; cut < len(begun); cut += len(begun) / 20 {
			if err := begin(t, a, submit, len(begun)+1000, begun[:cut]).Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a file over the limit with more behind it", func(t *testing.T) {
		connection := begin(t, a, submit, 900_000_000, parser)
		go func() {
			_, _ = io.WriteString(connection, filePart(`filename="big.pdf"`, make([]byte, 20_000_000)))
		}()
		wantAnswer(t, connection, stallPatience, 413)
	})
	wantUntouched(t, a)

	t.Run("a whole form, and then nothing", func(t *testing.T) {
		wantAnswer(t, begin(t, a, submit, 100_000, parser+file+formEnd), stallPatience, 202)
	})
	t.Run("a file that takes longer to inspect than an upload may stand still", func(t *testing.T) {
		began := time.Now()
		x := a.Accepted(t, parserID, apptest.File{Name: "words.pdf", Content: wordFlood()})
		if took := time.Since(began); took < uploadStall {
			t.Skipf("it was inspected within %s", took)
		}
		a.Finished(t, x.ExtractionID)
		path := "GET /v1/extractions/" + x.ExtractionID
		t.Run("a body that nobody asked for", func(t *testing.T) {
			wantAnswer(t, begin(t, a, path, 1000, "x"), stallPatience, 200)
			wantAnswer(t, begin(t, a, path+"/results", 1000, "x"), stallPatience, 200)
			wantAnswer(t, begin(t, a, path+"/export", 1000, "x"), stallPatience, 400)
		})
	})
}
