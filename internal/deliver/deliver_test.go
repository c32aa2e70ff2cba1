package deliver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/deliver"
	"fieldlift/internal/outbound"
	"fieldlift/internal/store"
)

// receiverFunc is a receiver without a network, so that time can be made up.
type receiverFunc func(body []byte) (outbound.Answer, error)

func (f receiverFunc) Post(_ context.Context, _ string, _ http.Header, _ int64, open outbound.Body) (outbound.Answer, error) {
	body, err := open()
	if err != nil {
		return outbound.Answer{}, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return outbound.Answer{}, err
	}
	return f(text)
}

// TestRetries lets hours pass on a real store.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store.Options{DataDir: t.TempDir()})
		w := r.newWebhook(t, "http://receiver.example", "", fieldlift.EventJobCompleted)
		var times []time.Time
		var bodies []string
		stop := r.deliver(t, func(d *deliver.Deliverer) {
			d.Client = receiverFunc(func(body []byte) (outbound.Answer, error) {
				times, bodies = append(times, time.Now()), append(bodies, string(body))
				return outbound.Answer{StatusCode: http.StatusInternalServerError}, nil
			})
		})
		r.submit(t, 1)
		r.complete(t, `{"invoice_number":"1"}`)
		time.Sleep(24 * time.Hour)
		stop()
		if len(times) != 6 {
			t.Fatalf("%d tries, want the first and 5 retries", len(times))
		}
		for i, want := range []time.Duration{5, 10, 20, 40, 80} {
			// Deliveries that are due are looked for once a second.
			if wait := times[i+1].Sub(times[i]); wait < want*time.Minute || wait > want*time.Minute+2*time.Second {
				t.Errorf("retry %d came after %v, want %d minutes", i+1, wait, want)
			}
			if bodies[i+1] != bodies[0] {
				t.Errorf("retry %d has another body", i+1)
			}
		}
		for i, a := range r.attempts(t, w) {
			want := fieldlift.DeliveryPendingRetry
			if i == 5 {
				want = fieldlift.DeliveryFailed
			}
			if a.Status != want || a.StatusCode != 500 || a.RetryCount != int64(i) || a.Error != "The receiver answered 500." {
				t.Errorf("attempt %d: %+v", i, a)
			}
		}
	})
}

// TestOrder has one slow and moody receiver: first tries come in order within
// an extraction, whatever becomes of them.
func TestOrder(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver := apptest.NewReceiver(t)
		var calls atomic.Int64
		receiver.Answer(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1)%5 == 0 {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		r.newWebhook(t, receiver.URL, "", fieldlift.EventsOf(fieldlift.APIWebhook)...)
		r.deliver(t)
		const extractions, files = 3, 12
		for range extractions {
			r.submit(t, files)
		}
		for i := range extractions * files {
			r.complete(t, fmt.Sprintf(`{"invoice_number":"%d"}`, i))
		}
		seen := map[string][]string{} // the documents of an extraction, as they came
		for _, c := range receiver.Wait(t, extractions*(files+1)) {
			var e struct {
				Event string
				Data  struct {
					ExtractionID string `json:"extraction_id"`
					Filename     string
				}
			}
			if err := json.Unmarshal(c.Body, &e); err != nil {
				t.Fatal(err)
			}
			seen[e.Data.ExtractionID] = append(seen[e.Data.ExtractionID], e.Event+" "+e.Data.Filename)
		}
		var want []string
		for i := range files {
			want = append(want, fmt.Sprintf("%s file %d.pdf", api.EventDocumentCompleted, i))
		}
		want = append(want, api.EventJobCompleted+" ")
		for id, got := range seen {
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q", id, got)
			}
		}
	})
}

// once submits a document and ends it.
func (r *rig) once(t testing.TB) fieldlift.Extraction {
	t.Helper()
	e := r.submit(t, 1)
	r.complete(t, `{"invoice_number":"1"}`)
	return e
}

func TestRestartBetweenTries(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver := apptest.NewReceiver(t)
		receiver.AnswerStatus(http.StatusServiceUnavailable)
		w := r.newWebhook(t, receiver.URL, "", fieldlift.EventJobCompleted)
		schedule := retrying(10*time.Millisecond, 10*time.Millisecond)
		stop := r.deliver(t, schedule)
		r.once(t)
		waitFor(t, "the first attempt", func() bool { return len(r.attempts(t, w)) > 0 })
		stop()
		receiver.AnswerStatus(http.StatusOK)
		r.deliver(t, schedule)
		waitFor(t, "success", func() bool {
			attempts := r.attempts(t, w)
			return attempts[len(attempts)-1].Status == fieldlift.DeliverySuccess
		})
		calls := receiver.Calls()
		for _, c := range calls {
			if !bytes.Equal(c.Body, calls[0].Body) || c.Header.Get("webhook-id") != calls[0].Header.Get("webhook-id") {
				t.Errorf("%v %s", c.Header, c.Body)
			}
		}
	})
}

func TestPauseAndDelete(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver, other := apptest.NewReceiver(t), apptest.NewReceiver(t)
		receiver.AnswerStatus(http.StatusInternalServerError)
		w := r.newWebhook(t, receiver.URL, "", fieldlift.EventJobCompleted)
		r.newWebhook(t, other.URL, "", fieldlift.EventJobCompleted)
		r.deliver(t, retrying(10*time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond))
		setActive := func(active bool) {
			t.Helper()
			if _, err := r.UpdateWebhook(t.Context(), r.account.ID, w.Kind, w.ID, fieldlift.WebhookChange{Active: &active}); err != nil {
				t.Fatal(err)
			}
		}
		// Paused while a retry waits: it waits on.
		setActive(true)
		receiver.Answer(func(rw http.ResponseWriter, _ *http.Request) {
			setActive(false)
			rw.WriteHeader(http.StatusInternalServerError)
		})
		r.once(t)
		receiver.Wait(t, 1)
		waitFor(t, "the attempt's end", func() bool { return len(r.attempts(t, w)) == 1 })
		// What happens meanwhile is not for it.
		r.once(t)
		other.Wait(t, 2)
		if calls := receiver.Calls(); len(calls) != 1 {
			t.Fatalf("a paused webhook was called %d times", len(calls))
		}
		receiver.AnswerStatus(http.StatusOK)
		setActive(true)
		if calls := receiver.Wait(t, 2); !bytes.Equal(calls[0].Body, calls[1].Body) {
			t.Error("not the retry came")
		}
		r.once(t)
		receiver.Wait(t, 3)

		// Deleted while it is called: it is not called again.
		deleted := make(chan error, 1)
		receiver.Answer(func(rw http.ResponseWriter, _ *http.Request) {
			deleted <- r.DeleteWebhook(t.Context(), r.account.ID, w.Kind, w.ID)
			rw.WriteHeader(http.StatusInternalServerError)
		})
		r.once(t)
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		r.once(t)
		other.Wait(t, 5)
		if calls := receiver.Calls(); len(calls) != 4 {
			t.Errorf("a deleted webhook was called %d times", len(calls))
		}
		waitFor(t, "nothing to wait", func() bool {
			waiting, err := r.DeliveryBacklog(t.Context())
			return err == nil && waiting == 0
		})
	})
}

func TestReceiverIsGone(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver := apptest.NewReceiver(t)
		receiver.AnswerStatus(http.StatusGone)
		w := r.newWebhook(t, receiver.URL, "", fieldlift.EventJobCompleted)
		r.deliver(t, retrying(time.Millisecond))
		r.once(t)
		waitFor(t, "the pause", func() bool {
			got, err := r.Webhook(t.Context(), r.account.ID, w.Kind, w.ID)
			if err != nil {
				t.Fatal(err)
			}
			return !got.Active && strings.Contains(got.PausedReason, "410 Gone")
		})
		if attempts := r.attempts(t, w); len(attempts) != 1 || attempts[0].Status != fieldlift.DeliveryFailed || attempts[0].StatusCode != 410 {
			t.Errorf("%+v", attempts)
		}
	})
}

// TestAnswers: what receivers do that they should not.
func TestAnswers(t *testing.T) {
	r := newRig(t, store.Options{DataDir: t.TempDir()})
	elsewhere := apptest.NewReceiver(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	tests := map[string]struct {
		url     string
		answer  http.HandlerFunc
		status  fieldlift.DeliveryStatus
		code    int
		message string
	}{
		"204": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, status: fieldlift.DeliverySuccess, code: 204},
		"a redirect": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			},
			status: fieldlift.DeliveryFailed, code: 307, message: "redirects are not followed",
		},
		"an answer without end": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := w.Write(bytes.Repeat([]byte("x\x00\xff"), 10_000)); err != nil {
						return
					}
				}
			},
			status: fieldlift.DeliverySuccess, code: 200,
		},
		"a header without end": {
			answer: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
			status: fieldlift.DeliveryFailed, message: "not HTTP",
		},
		"no answer": {
			answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			status: fieldlift.DeliveryFailed, message: "closed the connection",
		},
		"nobody": {url: closed.URL, status: fieldlift.DeliveryFailed, message: "refused the connection"},
	}
	hooks := map[string]fieldlift.Webhook{}
	for name, test := range tests {
		url := test.url
		if url == "" {
			receiver := apptest.NewReceiver(t)
			receiver.Answer(test.answer)
			url = receiver.URL
		}
		hooks[name] = r.newWebhook(t, url, "", fieldlift.EventJobCompleted)
	}
	r.deliver(t, retrying())
	r.once(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			waitFor(t, "an attempt", func() bool { return len(r.attempts(t, hooks[name])) > 0 })
			a := r.attempts(t, hooks[name])[0]
			if a.Status != test.status || a.StatusCode != test.code || !strings.Contains(a.Error, test.message) || (a.Error == "") != (test.message == "") {
				t.Errorf("%+v", a)
			}
			if len(a.Response) > 16<<10 || strings.Contains(a.Response, "\x00") {
				t.Errorf("%d bytes of the answer are kept", len(a.Response))
			}
		})
	}
	if calls := elsewhere.Calls(); len(calls) != 0 {
		t.Error("a redirect was followed")
	}
}

// TestSlowReceiver: one that never answers is given up after ten seconds, and
// holds up nobody meanwhile.
func TestSlowReceiver(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		t.Parallel()
		release := make(chan struct{})
		slow, quick := apptest.NewReceiver(t), apptest.NewReceiver(t)
		t.Cleanup(sync.OnceFunc(func() { close(release) }))
		slow.Answer(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		w := r.newWebhook(t, slow.URL, "", fieldlift.EventJobCompleted)
		r.newWebhook(t, quick.URL, "", fieldlift.EventJobCompleted)
		r.deliver(t)
		const events = 30
		began := time.Now()
		for range events {
			r.once(t)
		}
		quick.Wait(t, events)
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("a slow receiver delayed another's deliveries: they took %v", took)
		}
		waitFor(t, "the slow one's first failure", func() bool { return len(r.attempts(t, w)) > 0 })
		a := r.attempts(t, w)[0]
		if a.StatusCode != 0 || a.Error != "The receiver did not answer within 10 seconds." || a.Took < 10*time.Second || a.Took > 13*time.Second {
			t.Errorf("%+v", a)
		}
	})
}

// TestDrippingReceivers: many that send a status at once and then a body
// without end have it in the log how long they held their places, and delay
// nobody for long.
func TestDrippingReceivers(t *testing.T) {
	r := newRig(t, store.Options{DataDir: t.TempDir()})
	dripping, quick := apptest.NewReceiver(t), apptest.NewReceiver(t)
	dripping.Answer(func(w http.ResponseWriter, request *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-request.Context().Done()
	})
	var drips []fieldlift.Webhook
	for range 40 { // with 4 requests each, more than there are places
		drips = append(drips, r.newWebhook(t, dripping.URL, "", fieldlift.EventJobCompleted))
	}
	const events = 10
	for range events {
		r.once(t)
	}
	r.deliver(t)
	dripping.Wait(t, 100)
	began := time.Now()
	r.newWebhook(t, quick.URL, "", fieldlift.EventJobCompleted)
	for range events {
		r.once(t)
	}
	quick.Wait(t, events)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("receivers that drip delayed another's deliveries: they took %v", took)
	}
	waitFor(t, "an attempt", func() bool { return len(r.attempts(t, drips[0])) > 0 })
	if a := r.attempts(t, drips[0])[0]; a.Status != fieldlift.DeliverySuccess || a.Took < time.Second {
		t.Errorf("%+v", a)
	}
}

// TestLargeEvents: the results of fifty documents are told without being held
// in memory together.
func TestLargeEvents(t *testing.T) {
	r := newRig(t, store.Options{DataDir: t.TempDir()})
	var whole atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		n, err := io.Copy(io.Discard, request.Body)
		if err != nil || n != request.ContentLength {
			t.Errorf("%d of %d bytes, %v", n, request.ContentLength, err)
		}
		whole.Add(n)
	}))
	t.Cleanup(receiver.Close)
	const webhooks, files, size = 4, 50, 1 << 20
	for range webhooks {
		r.newWebhook(t, receiver.URL, "", fieldlift.EventJobCompleted)
	}
	r.submit(t, files)
	data := `{"invoice_number":"` + strings.Repeat("x", size) + `"}`
	for range files {
		r.complete(t, data)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	watched, stopWatching := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		for watched.Err() == nil {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc))
			time.Sleep(time.Millisecond)
		}
	})
	spool := t.TempDir()
	r.deliver(t, func(d *deliver.Deliverer) { d.SpoolDir = spool })
	waitFor(t, "all of it", func() bool { return whole.Load() > webhooks*files*size })
	stopWatching()
	watch.Wait()
	grown := int64(most.Load()) - int64(before.HeapAlloc)
	t.Logf("the heap grew by %d MB at most for %d bodies of %d MB", grown>>20, webhooks, files*size>>20)
	if grown > 100<<20 { // all bodies together have 200 MB, and garbage counts
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	waitFor(t, "an empty spool", func() bool {
		entries, err := os.ReadDir(spool)
		return err == nil && len(entries) == 0
	})
}

// TestLostClaims: what a dead process had claimed is tried again, and what it
// says after that changes nothing.
func TestLostClaims(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		w := r.newWebhook(t, "http://127.0.0.1:1", "", fieldlift.EventJobCompleted)
		r.once(t)
		claim := func() []fieldlift.DeliveryClaim {
			t.Helper()
			claims, err := r.BeginDeliveries(t.Context(), map[string]int{w.ID: 10})
			if err != nil {
				t.Fatal(err)
			}
			return claims
		}
		first := claim()
		if len(first) != 1 || len(claim()) != 0 {
			t.Fatalf("%d deliveries were claimed, or twice", len(first))
		}
		if n, err := r.RecoverDeliveries(t.Context()); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		second := claim()
		if len(second) != 1 {
			t.Fatal("it was not claimed again")
		}
		end := func(c fieldlift.DeliveryClaim, status fieldlift.DeliveryStatus) {
			t.Helper()
			if err := r.EndAttempts(t.Context(), []fieldlift.AttemptEnd{{Fence: c.Fence, NextAt: time.Now().Add(time.Hour), Attempt: fieldlift.Attempt{
				DeliveryID: c.Delivery.ID, WebhookID: w.ID, EventType: c.Delivery.EventType, Status: status, AttemptedAt: time.Now(),
			}}}); err != nil {
				t.Fatal(err)
			}
		}
		end(first[0], fieldlift.DeliveryFailed)
		if attempts := r.attempts(t, w); len(attempts) != 0 {
			t.Errorf("%+v", attempts)
		}
		// Told twice, as when a commit's answer was lost, it is kept once.
		end(second[0], fieldlift.DeliveryPendingRetry)
		end(second[0], fieldlift.DeliveryPendingRetry)
		if attempts := r.attempts(t, w); len(attempts) != 1 || attempts[0].Status != fieldlift.DeliveryPendingRetry {
			t.Errorf("%+v", attempts)
		}
	})
}

// TestDeletedExtraction: nothing of it lives on in deliveries.
func TestDeletedExtraction(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver := apptest.NewReceiver(t)
		w := r.newWebhook(t, receiver.URL, "", fieldlift.EventsOf(fieldlift.APIWebhook)...)
		r.deliver(t)
		e := r.once(t)
		waitFor(t, "both deliveries", func() bool { return len(r.attempts(t, w)) == 2 })
		if err := r.DeleteExtraction(t.Context(), r.account.ID, e.ID); err != nil {
			t.Fatal(err)
		}
		if records, _, err := r.Deliveries(t.Context(), w.ID, "", fieldlift.Page{Limit: 10}); err != nil || len(records) != 0 {
			t.Errorf("%+v, %v", records, err)
		}
		if attempts, err := r.RecentAttempts(t.Context(), w.ID, 10); err != nil || len(attempts) != 0 {
			t.Errorf("%+v, %v", attempts, err)
		}
		r.once(t)
		waitFor(t, "both deliveries", func() bool { return len(r.attempts(t, w)) == 2 })
		if err := r.ForgetEvents(t.Context(), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if attempts := r.attempts(t, w); len(attempts) != 0 {
			t.Errorf("%+v", attempts)
		}
	})
}
