package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"fieldlift/api"
	"fieldlift/internal/apptest"
)

func upload(number string) api.Upload {
	return api.Upload{Name: number + ".pdf", Content: bytes.NewReader(apptest.Invoice(number))}
}

func wantRefusal(t *testing.T, err error, status int, code string) {
	t.Helper()
	if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Status != status || refused.Code != code {
		t.Errorf("%v, want %d %s", err, status, code)
	}
}

// TestClient goes the way of a program that uses the service in Go.
func TestClient(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	client := a.Client()
	parser := a.NewParser(t, "Invoices", invoiceFields...)
	submission := api.Submission{ParserID: parser, Name: "May", IdempotencyKey: "may-1", Files: []api.Upload{upload("A-1"), upload("Ä 2")}}
	accepted, err := client.Submit(t.Context(), submission)
	if err != nil {
		t.Fatal(err)
	}
	if accepted.Name != "May" || accepted.FileCount != 2 || accepted.Documents[1].Filename != "Ä 2.pdf" {
		t.Errorf("%+v", accepted)
	}
	id := accepted.ExtractionID
	waited, err := client.Wait(t.Context(), id)
	if err != nil || waited.Status != "completed" || len(waited.Documents) != 2 || waited.CompletedAt.IsZero() {
		t.Fatalf("%+v, %v", waited, err)
	}

	t.Run("results, documents and exports", func(t *testing.T) {
		results, err := client.Results(t.Context(), id)
		if err != nil || len(results.Documents) != 2 || !strings.Contains(string(results.Documents[0].ExtractedData), `"invoice_number":"A-1"`) || results.Documents[0].FieldMetadata["/total"].Text != "1,234.50" {
			t.Errorf("%+v, %v", results, err)
		}
		document, err := client.Document(t.Context(), id, accepted.Documents[0].DocumentID)
		if err != nil || document.ExtractionID != id || !strings.Contains(string(document.ExtractedData), "A-1") {
			t.Errorf("%+v, %v", document, err)
		}
		for format, begins := range map[string]string{"json": `{"extraction":{"name":"May"`, "csv": "document_id,filename,", "xlsx": "PK"} {
			file, err := client.Export(t.Context(), id, format)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(file)
			if err := errors.Join(err, file.Close()); err != nil || !strings.HasPrefix(string(content), begins) {
				t.Errorf("%s: %.100q, %v", format, content, err)
			}
		}
		_, err = client.Export(t.Context(), id, "pdf")
		wantRefusal(t, err, 400, "INVALID_PAYLOAD")
	})
	t.Run("with an idempotency key a submission can be repeated", func(t *testing.T) {
		submission.Files = []api.Upload{upload("A-1"), upload("Ä 2")}
		again, err := client.Submit(t.Context(), submission)
		if err != nil || again.ExtractionID != id {
			t.Errorf("%+v, %v", again, err)
		}
	})
	t.Run("lists, with filters", func(t *testing.T) {
		other, err := client.Submit(t.Context(), api.Submission{ParserID: a.NewParser(t, "Others", invoiceFields...), Files: []api.Upload{upload("B-1")}})
		if err != nil {
			t.Fatal(err)
		}
		last, err := client.Wait(t.Context(), other.ExtractionID)
		if err != nil {
			t.Fatal(err)
		}
		list, err := client.ListExtractions(t.Context(), api.ExtractionFilter{Status: "completed"}, api.ListOptions{Limit: 1})
		if err != nil || len(list.Extractions) != 1 || list.Extractions[0].ExtractionID != other.ExtractionID || !list.Pagination.HasNextPage {
			t.Fatalf("%+v, %v", list, err)
		}
		list, err = client.ListExtractions(t.Context(), api.ExtractionFilter{Status: "completed"}, api.ListOptions{Limit: 1, Cursor: *list.Pagination.NextCursor})
		if err != nil || len(list.Extractions) != 1 || list.Extractions[0].ExtractionID != id {
			t.Errorf("%+v, %v", list, err)
		}
		for _, test := range []struct {
			filter api.ExtractionFilter
			want   []string
		}{
			{api.ExtractionFilter{}, []string{other.ExtractionID, id}},
			{api.ExtractionFilter{ParserID: parser}, []string{id}},
			{api.ExtractionFilter{Status: "failed"}, nil},
			{api.ExtractionFilter{Since: waited.UpdatedAt.Time}, []string{other.ExtractionID}},
			{api.ExtractionFilter{Since: last.UpdatedAt.Time}, nil},
		} {
			var got []string
			for e, err := range client.Extractions(t.Context(), test.filter) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.ExtractionID)
			}
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("%+v chooses %v, want %v", test.filter, got, test.want)
			}
		}
		for _, err := range client.Extractions(t.Context(), api.ExtractionFilter{Status: "odd"}) {
			wantRefusal(t, err, 400, "INVALID_PAYLOAD")
		}
	})
	t.Run("a deleted extraction is gone", func(t *testing.T) {
		if err := client.DeleteExtraction(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		_, err := client.Extraction(t.Context(), id)
		wantRefusal(t, err, 404, "RESOURCE_NOT_FOUND")
		_, err = client.Wait(t.Context(), id)
		wantRefusal(t, err, 404, "RESOURCE_NOT_FOUND")
	})
	t.Run("Wait ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		if _, err := client.Wait(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestClientSubmitRefused(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	t.Run("what is refused by its header is not sent", func(t *testing.T) {
		file := &countingReader{}
		_, err := a.ClientFor("svc_test_wrong").Submit(t.Context(), api.Submission{ParserID: "par_x", Files: []api.Upload{{Name: "endless.pdf", Content: file}}})
		wantRefusal(t, err, 401, "UNAUTHORIZED")
		if file.read > 0 {
			t.Errorf("%d bytes of the file were read", file.read)
		}
	})
	t.Run("the refusal of the files comes back", func(t *testing.T) {
		parser := a.NewParser(t, "Invoices", invoiceFields...)
		_, err := a.Client().Submit(t.Context(), api.Submission{ParserID: parser, Files: []api.Upload{{Name: "note.txt", Content: strings.NewReader("no PDF")}}})
		wantRefusal(t, err, 400, "UNSUPPORTED_FILE_TYPE")
	})
	t.Run("a file that cannot be read ends the submission", func(t *testing.T) {
		broken := errors.New("the disk is gone")
		_, err := a.Client().Submit(t.Context(), api.Submission{ParserID: "par_x", Files: []api.Upload{{Name: "a.pdf", Content: iotest.ErrReader(broken)}}})
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}

// countingReader is an endless file.
type countingReader struct{ read int }

func (r *countingReader) Read(b []byte) (int, error) {
	r.read += len(b)
	return len(b), nil
}

func TestClientManagesWebhooks(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.InDevelopment())
	client := a.Client()
	receiver := apptest.NewReceiver(t)
	made, err := client.CreateWebhook(t.Context(), api.WebhookCreate{URL: receiver.URL, Events: []string{api.EventJobCompleted}})
	if err != nil || made.SigningSecret == "" {
		t.Fatal(made, err)
	}
	id := made.WebhookID
	if result, err := client.TestWebhook(t.Context(), id); err != nil || !result.Delivered {
		t.Errorf("%+v, %v", result, err)
	}
	list, err := client.ListDeliveries(t.Context(), id, "success", api.ListOptions{Limit: 5})
	if err != nil || len(list.Deliveries) != 1 || list.Deliveries[0].ExtractionID != nil {
		t.Fatalf("%+v, %v", list, err)
	}
	if again, err := client.Redeliver(t.Context(), id, list.Deliveries[0].DeliveryID); err != nil || again.Status != "pending" {
		t.Errorf("%+v, %v", again, err)
	}
	receiver.Wait(t, 2)
	if rotated, err := client.RotateSecret(t.Context(), id); err != nil || rotated.SigningSecret == made.SigningSecret {
		t.Errorf("%+v, %v", rotated, err)
	}
	changed, err := client.UpdateWebhook(t.Context(), id, api.WebhookUpdate{IsActive: api.Some(false), Events: api.Some([]string{api.EventDocumentCompleted})})
	if err != nil || changed.IsActive || changed.Events[0] != api.EventDocumentCompleted || changed.URL != made.URL {
		t.Errorf("%+v, %v", changed, err)
	}
	if fetched, err := client.Webhook(t.Context(), id); err != nil || len(fetched.RecentDeliveries) == 0 {
		t.Errorf("%+v, %v", fetched, err)
	}
	if err := client.DeleteWebhook(t.Context(), id); err != nil {
		t.Error(err)
	}
	for w, err := range client.Webhooks(t.Context()) {
		t.Errorf("%+v, %v", w, err)
	}
}
