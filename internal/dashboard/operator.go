package dashboard

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fieldlift"
)

// admin adapts a handler for those who run the service. For others there is
// nothing here.
func (s *Server) admin(handle handler) http.Handler {
	return s.signedIn(func(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
		if !v.Account.Admin {
			return errNothingHere
		}
		return handle(w, r, v)
	})
}

// operatorPage is what stands on the first page of those who run the service.
type operatorPage struct {
	Queue   fieldlift.Queue
	Machine fieldlift.Machine
	Running []fieldlift.RunningDocument
	Waiting []fieldlift.WaitingAccount
	Uptime  time.Duration
	Age     time.Duration // how long the document waits that waits longest
	LowDisk bool
	Models  []fieldlift.ModelDay // of all accounts together, newest first
	Budgets []budget             // of all accounts together, for models today
}

const (
	mostRunning = 100
	mostWaiting = 20
	modelDays   = 7 // what models took is told for
	// lowDisk is the free space below which a warning is due.
	lowDisk = 1 << 30
)

func (s *Server) showOperator(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	var body operatorPage
	var err error
	if body.Queue, err = s.Store.Queue(r.Context()); err != nil {
		return err
	}
	if body.Running, err = s.Store.Running(r.Context(), mostRunning); err != nil {
		return err
	}
	if body.Waiting, err = s.Store.Waiting(r.Context(), mostWaiting); err != nil {
		return err
	}
	if body.Machine, err = s.Machine(r.Context()); err != nil {
		return err
	}
	if body.Models, err = s.Store.ModelDays(r.Context(), "", s.Now().Add(-modelDays*24*time.Hour)); err != nil {
		return err
	}
	body.Budgets = s.budgetsOf(s.Budgets.Server, body.Models)
	body.Uptime = s.Now().Sub(body.Machine.Started)
	if !body.Queue.Oldest.IsZero() {
		body.Age = max(0, s.Now().Sub(body.Queue.Oldest))
	}
	body.LowDisk = body.Machine.DiskKnown && body.Machine.DiskFree < lowDisk
	return s.show(w, r, v, "operator", page{Title: "Operator", Section: "operator", Body: body})
}

// operatorAccounts is what stands on the list of accounts.
type operatorAccounts struct {
	Search string
	List   []fieldlift.AccountSummary
	Paging paging
}

const accountsAtOnce = 50

func (s *Server) showAccounts(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := operatorAccounts{Search: strings.TrimSpace(r.URL.Query().Get("search"))}
	scope := fmt.Sprintf("accounts %q", body.Search)
	part, err := readPart(r, accountsAtOnce, scope, fieldlift.AccountPrefix)
	if err != nil {
		return err
	}
	var more bool
	if body.List, more, err = s.Store.AccountSummaries(r.Context(), fieldlift.AccountFilter{Search: body.Search}, part); err != nil {
		return err
	}
	var last fieldlift.Cursor
	for _, a := range body.List {
		last = fieldlift.Cursor{At: a.Account.CreatedAt, ID: a.Account.ID}
	}
	body.Paging = newPaging(r, r.URL.Path, part, more, last, scope)
	return s.show(w, r, v, "operator-accounts", page{Title: "Accounts", Section: "operator", Body: body})
}

// operatorAccount is what stands on the page of one account.
type operatorAccount struct {
	Summary fieldlift.AccountSummary
	Balance fieldlift.Balance
	Amount  string // as entered
	Source  string
	Expires string
	Date    string
	Fault   *fault
}

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.showAccountWith(w, r, v, operatorAccount{})
}

func (s *Server) showAccountWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body operatorAccount) error {
	var err error
	if body.Summary, err = s.Store.AccountSummary(r.Context(), r.PathValue("account")); err != nil {
		return err
	}
	if body.Balance, err = s.Store.Balance(r.Context(), body.Summary.Account.ID); err != nil {
		return err
	}
	status := http.StatusOK
	if body.Fault != nil {
		status = body.Fault.Status
	}
	return s.showStatus(w, r, v, status, "operator-account", page{Title: body.Summary.Account.Email, Section: "operator", Body: body})
}

func (s *Server) grantCredits(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	body := operatorAccount{
		Amount: strings.TrimSpace(r.PostFormValue("amount")), Source: r.PostFormValue("source"),
		Expires: r.PostFormValue("expires"), Date: r.PostFormValue("date"),
	}
	account, err := s.Store.AccountSummary(r.Context(), r.PathValue("account"))
	if err != nil {
		return err
	}
	purchase := fieldlift.Purchase{AccountID: account.Account.ID, Source: fieldlift.SourceGrant}
	var found []fieldlift.Detail
	if purchase.Credits, err = strconv.ParseInt(body.Amount, 10, 64); err != nil || purchase.Credits < 1 || purchase.Credits > fieldlift.MaxCredits {
		found = append(found, fieldlift.Detail{Field: "amount", Issue: "range", Message: "Enter a whole number of credits, 1 or more."})
	}
	if body.Source == string(fieldlift.SourcePurchase) {
		purchase.Source = fieldlift.SourcePurchase
	}
	expires, wrong := readExpiry(r, s.Now())
	purchase.ExpiresAt, found = expires, append(found, wrong...)
	if len(found) > 0 {
		body.Fault, _ = tellable(fieldlift.Invalid(found...))
		return s.showAccountWith(w, r, v, body)
	}
	if _, err := s.Store.AddPurchase(r.Context(), purchase); err != nil {
		return err
	}
	return goTo(w, r, "/operator/accounts/"+account.Account.ID, "credits-granted")
}

// operatorFailures is what stands on the page of failures.
type operatorFailures struct {
	Days    int
	Choices []int
	Groups  []fieldlift.FailureGroup
	Total   int64
}

var failureSpans = []int{1, 7, 30}

func (s *Server) showFailures(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := operatorFailures{Days: readSpan(r, failureSpans, 7), Choices: failureSpans}
	var err error
	if body.Groups, err = s.Store.Failures(r.Context(), s.Now().AddDate(0, 0, -body.Days)); err != nil {
		return err
	}
	for _, g := range body.Groups {
		body.Total += g.Count
	}
	return s.show(w, r, v, "operator-failures", page{Title: "Failures", Section: "operator", Body: body})
}
