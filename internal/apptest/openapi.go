package apptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"go.yaml.in/yaml/v3"

	"fieldlift/api"
)

// Checked wraps a transport: every answer that comes through is held against
// the OpenAPI document, and what differs fails the test.
func Checked(t testing.TB, through http.RoundTripper) http.RoundTripper {
	t.Helper()
	document, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return checkedTransport{t, through, document}
}

type checkedTransport struct {
	t        testing.TB
	through  http.RoundTripper
	contract *contract
}

func (c checkedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.through.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := c.contract.check(request, response, body); err != nil {
		c.t.Errorf("%s %s answers %d otherwise than openapi.yaml says: %v\n%s", request.Method, request.URL.Path, response.StatusCode, err, body[:min(len(body), 2000)])
	}
	return response, nil
}

// contract is the OpenAPI document, ready to be held against answers.
type contract struct {
	document *openapi3.T
	router   routers.Router
}

// loadContract reads the document, made strict: the public one lets answers
// grow, but what our own service answers today has no key that it does not name.
var loadContract = sync.OnceValues(func() (*contract, error) {
	var tree any
	if err := yaml.Unmarshal(api.OpenAPI, &tree); err != nil {
		return nil, err
	}
	makeStrict(tree)
	text, err := yaml.Marshal(tree)
	if err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", openapi3filter.FileBodyDecoder)
	router, err := gorillamux.NewRouter(document)
	return &contract{document, router}, err
})

// makeStrict forbids unnamed properties in every schema that names some.
func makeStrict(at any) {
	switch node := at.(type) {
	case map[string]any:
		_, isSchema := node["properties"].(map[string]any)
		_, isType := node["type"].(string)
		_, decided := node["additionalProperties"]
		if isSchema && isType && !decided {
			node["additionalProperties"] = false
		}
		for _, inner := range node {
			makeStrict(inner)
		}
	case []any:
		for _, inner := range node {
			makeStrict(inner)
		}
	}
}

func (c *contract) check(request *http.Request, response *http.Response, body []byte) error {
	if strings.HasPrefix(request.URL.Path, "/docs/") && response.StatusCode == http.StatusOK {
		return nil // assets of a page, no part of the interface
	}
	// The document's server is "/": where it runs is not for it to say.
	local := request.Clone(request.Context())
	local.URL = &url.URL{Path: request.URL.Path, RawQuery: request.URL.RawQuery}
	if local.Method == http.MethodHead {
		local.Method = http.MethodGet
	}
	route, parameters, err := c.router.FindRoute(local)
	if err != nil {
		return c.checkUnmatched(err, response, body)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route},
		Status:                 response.StatusCode,
		Header:                 response.Header,
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(request.Context(), input.SetBodyBytes(body))
}

// CheckEvent holds what a webhook was sent against the OpenAPI document.
func CheckEvent(t testing.TB, body []byte) {
	t.Helper()
	contract, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	var event map[string]any
	if err := json.Unmarshal(body, &event); err != nil {
		t.Fatal(err)
	}
	name, _ := event["event"].(string)
	webhook := contract.document.Webhooks[name]
	if webhook == nil {
		t.Fatalf("openapi.yaml has no webhook %q", name)
	}
	if err := webhook.Post.RequestBody.Value.Content.Get("application/json").Schema.Value.VisitJSON(event); err != nil {
		t.Errorf("%s is sent otherwise than openapi.yaml says: %v\n%s", name, err, body)
	}
}

// checkUnmatched holds the answers to what the document does not have against
// the one form of errors.
func (c *contract) checkUnmatched(reason error, response *http.Response, body []byte) error {
	allowed := map[int]bool{http.StatusUnauthorized: true, http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true}
	allowed[http.StatusNotFound] = errors.Is(reason, routers.ErrPathNotFound)
	allowed[http.StatusMethodNotAllowed] = errors.Is(reason, routers.ErrMethodNotAllowed)
	if !allowed[response.StatusCode] {
		return fmt.Errorf("the document does not have it (%w), so a refusal is wanted", reason)
	}
	if response.StatusCode == http.StatusMethodNotAllowed && response.Header.Get("Allow") == "" {
		return errors.New("the header Allow is missing")
	}
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if response.Header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	if response.Request != nil && response.Request.Method == http.MethodHead {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	return c.document.Components.Schemas["Error"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
}
