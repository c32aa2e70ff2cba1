package fieldlift_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fieldlift"
)

func TestActor(t *testing.T) {
	if got := fieldlift.ActorOf(t.Context()); got != (fieldlift.Actor{}) || got.String() != "Fieldlift" {
		t.Errorf("%+v acts where nobody was named", got)
	}
	ctx := fieldlift.WithActor(t.Context(), fieldlift.Actor{Kind: fieldlift.Person, Name: "ada@example.com"})
	if got := fieldlift.ActorOf(ctx).String(); got != "ada@example.com" {
		t.Error(got)
	}
	if got := (fieldlift.Actor{Kind: fieldlift.APIKey, Name: "ci"}).String(); got != "The key ci" {
		t.Error(got)
	}
	ctx = fieldlift.WithActor(ctx, fieldlift.Actor{})
	if got := fieldlift.ActorOf(ctx); got != (fieldlift.Actor{}) {
		t.Errorf("the service is taken for %+v", got)
	}
}

func TestActivityIsTold(t *testing.T) {
	for want, a := range map[string]fieldlift.Activity{
		"created the key 100% mine": {Act: fieldlift.KeyCreated, Name: "100% mine"},
		"signed in":                 {Act: fieldlift.SignedIn},
		"moon.landed Apollo":        {Act: "moon.landed", Name: "Apollo"},
	} {
		if got := a.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEveryActCanBeToldAndFiltered reads the acts off the source, so that none is
// forgotten.
func TestEveryActCanBeToldAndFiltered(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "activity.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Act" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		act := fieldlift.Act(text)
		if told := (fieldlift.Activity{Act: act}).String(); strings.Contains(told, text) {
			t.Errorf("%s has no sentence", act)
		}
		if !slices.Contains(fieldlift.ActGroups, act.Group()) {
			t.Errorf("%s is in no group", act)
		}
		count++
		return true
	})
	if count < 20 {
		t.Errorf("only %d acts were found", count)
	}
}
