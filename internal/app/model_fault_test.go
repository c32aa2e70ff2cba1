package app_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// TestASlowModelHoldsNobodyUp has many documents wait for a model that does not
// answer: those that need none are done meanwhile, and the others when it does.
func TestASlowModelHoldsNobodyUp(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		answering := make(chan struct{})
		stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
			<-answering
			return apptest.Cite(odd)(a)
		})
		a := apptest.Start(t, on, withModel(stand, fieldlift.LayoutEngine, func(c *app.Config) {
			c.Workers, c.Model.Concurrency = 2, 2
		}))
		answer := sync.OnceFunc(func() { close(answering) })
		t.Cleanup(answer)
		slow := make([]apptest.File, 20) // more than there are places
		for i := range slow {
			slow[i] = oddSheet(i)
		}
		waiting := a.Accepted(t, oddParser(t, a, "model"), slow...).ExtractionID
		waitFor(t, "questions", func() bool { return len(stand.Asked()) == 2 })
		plain := oddParser(t, a, "layout")
		for i := range 3 {
			if done := a.Finished(t, a.Accepted(t, plain, oddSheet(100+i)).ExtractionID); done.Status != "completed" {
				t.Errorf("%+v", done)
			}
		}
		if n := len(stand.Asked()); n != 2 {
			t.Errorf("%d questions are asked at once", n)
		}
		answer()
		done := a.Finished(t, waiting)
		if done.Status != "completed" || len(stand.Asked()) != len(slow) {
			t.Errorf("%s, %d questions", done.Status, len(stand.Asked()))
		}
		for _, document := range done.Documents {
			if document.Model == nil || document.Model.Calls != 1 || len(document.Validation) != 0 {
				t.Errorf("%+v %+v", document.Model, document.Validation)
			}
		}
	})
}

// things are more fields than one question asks for, and how they are answered.
func things() (fields []fieldlift.Field, asked []api.Field) {
	for n := range 100 {
		name := fmt.Sprintf("thing_%d", n)
		fields, asked = append(fields, fieldlift.Field{Name: name, Type: fieldlift.StringField}), append(asked, api.Field{Name: name})
	}
	return fields, asked
}

var firstThing = map[string]string{"thing_0": "Marking of the thing", "thing_60": "To be found at"}

// TestADocumentDoesNotWaitForEver has a provider answer one question of two and
// go away for good: what was answered is in the result.
func TestADocumentDoesNotWaitForEver(t *testing.T) {
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		if a.Fields()[0] != "thing_0" {
			return apptest.Said{Status: 503}
		}
		return apptest.Cite(firstThing)(a)
	})
	a := apptest.Start(t, apptest.OnPostgres(t), withModel(stand, fieldlift.ModelEngine, nil))
	_, fields := things()
	id := a.Accepted(t, a.NewParser(t, "Things", fields...), oddSheet(1)).ExtractionID
	waitFor(t, "documents that wait", func() bool {
		x, _, err := a.Store.Extraction(t.Context(), a.Account.ID, id)
		return err == nil && x.Status == fieldlift.ExtractionPending
	})
	database, err := pgx.Connect(t.Context(), a.Config.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close(t.Context())
	// Hours later.
	if _, err := database.Exec(t.Context(), `UPDATE documents SET postponements = 40, available_at = 0 WHERE status = 'queued'`); err != nil {
		t.Fatal(err)
	}
	done := a.Finished(t, id)
	document := done.Documents[0]
	if done.Status != "completed" || !strings.Contains(string(document.ExtractedData), `"thing_0":"B-1"`) || document.Model == nil || document.Model.Calls != 1 {
		t.Errorf("%s %s %+v", done.Status, document.ExtractedData, document.Model)
	}
	if v := document.Validation; len(v) != 40 || v[0].Path != "/thing_60" || !strings.Contains(v[0].Message, "could not be reached") {
		t.Errorf("%d warnings, %+v", len(v), v)
	}
	asked := 0
	for _, one := range stand.Asked() {
		if one.Fields()[0] == "thing_0" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("what was answered is asked %d times", asked)
	}
}

// TestBudgetsHoldForCallsAtOnce has many documents come at once with a budget
// that the first call spends.
func TestBudgetsHoldForCallsAtOnce(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		for whose, set := range map[string]func(*app.Config){
			"account": func(c *app.Config) { c.Model.AccountBudget = fieldlift.ModelBudget{Tokens: 1} },
			"server":  func(c *app.Config) { c.Model.Budget = fieldlift.ModelBudget{Cost: 0.000001} },
		} {
			t.Run(whose, func(t *testing.T) {
				// Hours from now it is another day for the second budget.
				now := time.Now
				if whose == "server" {
					now = func() time.Time { return time.Now().Add(48 * time.Hour) }
				}
				stand := apptest.NewModel(t, apptest.Cite(odd))
				a := apptest.Launch(t, on, withModel(stand, fieldlift.ModelEngine, func(c *app.Config) {
					c.Workers, c.Model.Concurrency, c.Now = 8, 8, now
					set(c)
				}))
				a.Account = a.NewAccount(t, whose+"@example.com", 100)
				a.Key = a.NewKey(t, a.Account, "k")
				files := make([]apptest.File, 16)
				for i := range files {
					files[i] = oddSheet(i)
				}
				done := a.Finished(t, a.Accepted(t, oddParser(t, a, ""), files...).ExtractionID)
				if n := len(stand.Asked()); done.Status != "completed" || n != 1 {
					t.Errorf("%s, %d questions", done.Status, n)
				}
				days, err := a.Store.ModelDays(t.Context(), a.Account.ID, now().Add(-time.Hour))
				if err != nil || len(days) != 1 || days[0].Tokens.Calls != 1 || days[0].Tokens.Output > 1000 {
					t.Errorf("what was set aside is not put right: %+v, %v", days, err)
				}
			})
		}
	})
}

// TestABudgetThatIsOnlySetAside has more documents come at once than a budget
// has room for while they are asked about, and for all when they are answered.
func TestABudgetThatIsOnlySetAside(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		const documents, atOnce = 6, 3 // of some 9,000 tokens at the most, and 1,000 in truth
		answering := make(chan struct{})
		stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
			<-answering
			return apptest.Cite(odd)(a)
		})
		answer := sync.OnceFunc(func() { close(answering) })
		a := apptest.Start(t, on, withModel(stand, fieldlift.ModelEngine, func(c *app.Config) {
			c.Workers, c.Model.Concurrency, c.Model.AccountBudget = documents, documents, fieldlift.ModelBudget{Tokens: 20_000}
		}))
		t.Cleanup(answer)
		files := make([]apptest.File, documents)
		for i := range files {
			files[i] = oddSheet(i)
		}
		id := a.Accepted(t, oddParser(t, a, ""), files...).ExtractionID
		waitFor(t, "questions", func() bool { return len(stand.Asked()) == atOnce })
		answer()
		done := a.Finished(t, id)
		if n := len(stand.Asked()); done.Status != "completed" || n != documents {
			t.Errorf("%s, %d questions", done.Status, n)
		}
		for _, document := range done.Documents {
			if len(document.Validation) > 0 {
				t.Errorf("%+v", document.Validation)
			}
		}
	})
}

// TestAWrongKeyForAModel: documents of auto get the embedded engine's values,
// those that want the model alone wait, and operators are told.
func TestAWrongKeyForAModel(t *testing.T) {
	stand := apptest.NewModel(t, func(apptest.Asked) apptest.Said { return apptest.Said{Status: 401, Error: "no such key"} })
	a := apptest.Start(t, apptest.OnSQLite(t), withModel(stand, fieldlift.LayoutEngine, nil))
	done := a.Finished(t, a.Accepted(t, oddParser(t, a, "auto"), oddSheet(1)).ExtractionID)
	if v := done.Documents[0].Validation; done.Status != "completed" || len(v) != 1 || !strings.Contains(v[0].Message, "the model could not be reached") || strings.Contains(v[0].Message, "--model") {
		t.Errorf("%s %+v", done.Status, v)
	}
	id := a.Accepted(t, oddParser(t, a, "model"), oddSheet(2)).ExtractionID
	waitFor(t, "documents that wait", func() bool {
		x, _, err := a.Store.Extraction(t.Context(), a.Account.ID, id)
		return err == nil && x.Status == fieldlift.ExtractionPending
	})
	ready := a.Send(t, http.MethodGet, "/readyz", nil).WantStatus(t, http.StatusOK).Text
	if !strings.Contains(ready, "Documents for the connected model wait") || strings.Contains(ready, "sk-secret") {
		t.Error(ready)
	}
	if text := a.Send(t, http.MethodGet, "/metrics", nil).Text; !strings.Contains(text, "fieldlift_model_away 1") || !strings.Contains(text, `fieldlift_model_calls_total{outcome="401"} 1`) {
		t.Error("metrics do not tell")
	}
}

// TestKillWithAModel kills a service again and again while a model answers: no
// question is asked twice whose answer was kept, and all documents are done.
func TestKillWithAModel(t *testing.T) {
	const documents = 4
	var mu sync.Mutex
	hold := make(chan struct{})
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		mu.Lock()
		held := hold
		mu.Unlock()
		if a.Fields()[0] != "thing_0" {
			<-held
		}
		return apptest.Cite(firstThing)(a)
	})
	release := func() {
		mu.Lock()
		defer mu.Unlock()
		close(hold)
		hold = make(chan struct{})
	}
	t.Cleanup(release)

	config := app.Default()
	config.DataDir = t.TempDir()
	flags := []string{"--data", config.DataDir, "--engine", "model", "--model", "stand-in", "--model-url", stand.URL + "/v1", "--model-concurrency", "32"}
	n := startNode(t, flags...)
	f := newFleet(t, config, n.url)
	fields, _ := things()
	parser, err := f.store.CreateParser(t.Context(), fieldlift.Parser{AccountID: f.owner.ID, Name: "Things", ResultMode: fieldlift.OnePerFile, Schema: fieldlift.SchemaOf(fields)})
	if err != nil {
		t.Fatal(err)
	}
	f.parser = parser.ID
	database, err := sql.Open("sqlite", "file:"+filepath.Join(config.DataDir, "fieldlift.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	for round := range 3 {
		for i := range documents {
			number := round*documents + i
			f.submit(t.Context(), t, fmt.Sprint("d", number), oddSheet(number))
		}
		// Of each document one question is answered, and the other is under way.
		waitFor(t, "answers that are kept", func() bool { return kept(t, database) == (2*round+1)*documents })
		n.kill()
		release()
		n = startNode(t, flags...)
		f.url.Store(n.url)
		waitFor(t, "questions that are asked again", func() bool { return len(seconds(stand)) >= (round+1)*documents })
		waitFor(t, "answers to all", func() bool {
			release() // those that came since
			return kept(t, database) == (round+1)*2*documents
		})
	}
	f.check(t, time.Minute)
	times := map[string]int{}
	for _, asked := range stand.Asked() {
		if asked.Fields()[0] == "thing_0" {
			times[asked.Turns[0]]++
		}
	}
	if len(times) != 3*documents {
		t.Errorf("%d documents were asked about", len(times))
	}
	for question, n := range times {
		if n != 1 {
			t.Errorf("asked %d times: %s", n, question)
		}
	}
	for _, x := range f.accepted {
		for record, err := range f.store.Records(t.Context(), f.owner.ID, x.ExtractionID) {
			if err != nil || !strings.Contains(record.Data, `"thing_0":"B-`) || !strings.Contains(record.Data, `"thing_60":"the northern end"`) {
				t.Errorf("%s, %v", record.Data, err)
			}
		}
	}
}

// kept counts the answers in a database.
func kept(t *testing.T, database *sql.DB) (n int) {
	t.Helper()
	if err := database.QueryRowContext(t.Context(), `SELECT count(*) FROM model_answers`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// seconds are the documents whose second question came in.
func seconds(stand *apptest.Model) map[string]bool {
	found := map[string]bool{}
	for _, asked := range stand.Asked() {
		if asked.Fields()[0] != "thing_0" {
			found[asked.Turns[0]] = true
		}
	}
	return found
}
