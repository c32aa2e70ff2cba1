package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestCutOut(t *testing.T) {
	fit := func(object map[string]json.RawMessage) int {
		n := 0
		for _, key := range []string{"a", "b"} {
			if object[key] != nil {
				n++
			}
		}
		return n
	}
	for name, c := range map[string]struct{ text, a, wrong string }{
		"alone":                       {`{"a":1,"b":2}`, "1", ""},
		"words around it":             {"Sure:\n```json\n{\"a\":1}\n```\n", "1", ""},
		"a thought before it":         {`<think>{"note": "the number"}</think>{"a":1}`, "1", ""},
		"a draft before it":           {`<think>{"a":0,"b":0} no, wait</think>{"a":1,"b":2}`, "1", ""},
		"a form after it":             {`{"a":1,"b":2} in the form {"a":null,"b":"..."}`, "1", ""},
		"an empty form after it":      {`{"a":{"value":1,"lines":[1]},"b":[7]} as in {"a":{"value":null,"lines":[1]},"b":[]}`, `{"value":1,"lines":[1]}`, ""},
		"a better one after it":       {`{"a":0,"b":0} no: {"a":1,"b":2}`, "1", ""},
		"an example after thoughts":   {`<think>so</think>{"a":1,"b":2} which is like {"a":7,"b":8}`, "1", ""},
		"a thought that says more":    {`<think>{"a":0,"b":0} or not</think>{"a":1,"b":null}`, "1", ""},
		"in thoughts alone":           {`<think>{"a":1,"b":2}</think>Done {"c":3}.`, "1", ""},
		"less than a draft after it":  {`{"a":1,"b":2} for example {"a":7}`, "1", ""},
		"braces in words before it":   {`The set {x, y} and {{z}} are: {"a":1}`, "1", ""},
		"braces around it":            {`{{"a":1}}`, "1", ""},
		"a broken draft before it":    {`{"a":0,,"b":{"a":5}} so {"a":1,"b":{"a":5}}`, "1", ""},
		"a part of what was cut off":  {`{"x":{"a":1},"b":`, "", "not valid JSON"},
		"none":                        {`I am not sure.`, "", "no JSON object"},
		"none that was asked for":     {`{"c":1}`, "", ""},
		"none that can be read":       {`{a: 1}`, "", "not valid JSON"},
		"a text that ends in a brace": {`{`, "", "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			object, err := cutOut(c.text, fit)
			if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) || string(object["a"]) != c.a {
				t.Errorf("%s, %v", object["a"], err)
			}
		})
	}
}

// TestCutOutIsQuick gives it text that could be begun at every letter.
func TestCutOutIsQuick(t *testing.T) {
	for _, text := range []string{`{`, `{"a":`, `{"a":{}`, `{} `, `{"`} {
		began := time.Now()
		_, _ = cutOut(strings.Repeat(text, shortestBound/len(text)), func(map[string]json.RawMessage) int { return 0 })
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s takes %v", text, took)
		}
	}
}
