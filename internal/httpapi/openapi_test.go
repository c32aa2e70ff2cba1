package httpapi

import (
	"maps"
	"slices"
	"sort"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/api"
)

// Beside these two, apptest holds every answer of every test against the
// document.

func TestOpenAPIDocumentIsValid(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !document.IsOpenAPI31OrLater() {
		t.Errorf("it is of version %s", document.OpenAPI)
	}
	text, err := openAPIAsJSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil || again.Paths.Len() != document.Paths.Len() {
		t.Errorf("the JSON form is another: %v", err)
	}
}

func TestRoutesAreTheDocumentsOperations(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	var described, served []string
	for path, methods := range document.Paths.Map() {
		for method := range methods.Operations() {
			described = append(described, method+" "+path)
		}
	}
	server := New(Config{Registry: prometheus.NewRegistry(), Metrics: true})
	for _, route := range server.routes() {
		served = append(served, route.method+" "+route.path)
	}
	sort.Strings(described)
	sort.Strings(served)
	if diff := cmp.Diff(described, served); diff != "" {
		t.Errorf("described (-) and served (+) differ:\n%s", diff)
	}
}

func TestEventsAreTheDocumentsWebhooks(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, kind := range []fieldlift.WebhookKind{fieldlift.APIWebhook, fieldlift.DashboardWebhook} {
		for _, e := range fieldlift.EventsOf(kind) {
			sent = append(sent, string(e))
		}
	}
	slices.Sort(sent)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(document.Webhooks)), sent); diff != "" {
		t.Errorf("described (-) and sent (+) differ:\n%s", diff)
	}
}

func TestErrorCodesAreTheDocuments(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	var described, used []string
	code := document.Components.Schemas["Error"].Value.Properties["error"].Value.Properties["code"].Value
	for _, value := range code.Enum {
		described = append(described, value.(string))
	}
	for c := range statuses {
		used = append(used, string(c))
	}
	slices.Sort(described)
	slices.Sort(used)
	if diff := cmp.Diff(described, used); diff != "" {
		t.Errorf("described (-) and used (+) differ:\n%s", diff)
	}
}
