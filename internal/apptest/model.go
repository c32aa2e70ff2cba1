package apptest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Model is a stand-in for a language model's provider: it speaks OpenAI's and
// Anthropic's protocols, answers as the test says, and misbehaves on demand.
type Model struct {
	URL string

	mu     sync.Mutex
	answer func(Asked) Said
	asked  []Asked
}

// Asked is a question as it came in.
type Asked struct {
	Path     string // of the request
	Protocol string // openai or anthropic
	Key      string
	Model    string
	System   string
	Turns    []string // ours first, then the model's and ours alternate
	Pictures int
	Strict   string          // how the answer is bound: schema, json or nothing
	Form     json.RawMessage // the JSON Schema of the answer, wherever it stands
	Body     map[string]any
}

// Said is what the stand-in answers.
type Said struct {
	Text       string
	Finish     string // "": it is whole; length: it was cut; refusal
	Status     int    // 0: 200
	RetryAfter string
	Error      string // of a status other than 200
	Input      int64  // tokens; 0: as many as the text has, roughly
	Raw        string // sent as it is, in place of all else
}

// NewModel starts a stand-in that ends with the test.
func NewModel(t testing.TB, answer func(Asked) Said) *Model {
	t.Helper()
	m := &Model{answer: answer}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.URL = server.URL
	return m
}

// Cite is a way to answer: each field by what follows its label on a line.
func Cite(labels map[string]string) func(Asked) Said {
	return func(a Asked) Said {
		answer := map[string]any{}
		for _, key := range a.Fields() {
			answer[key] = nil
			for _, l := range a.Lines() {
				if _, after, ok := strings.Cut(l.Text, labels[key]); ok && labels[key] != "" {
					text := strings.TrimSpace(after)
					answer[key] = map[string]any{"value": text, "text": text, "lines": []string{l.Number}}
					break
				}
			}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return Said{Status: http.StatusInternalServerError, Error: err.Error()}
		}
		return Said{Text: string(text)}
	}
}

// Answer sets another way to answer.
func (m *Model) Answer(answer func(Asked) Said) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

// Asked is what came in so far.
func (m *Model) Asked() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Asked(nil), m.asked...)
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		m.tell(w, r)
		return
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := readOpenAI(r, body)
	if strings.HasSuffix(r.URL.Path, "/messages") {
		a = readAnthropic(r, body)
	}
	m.mu.Lock()
	m.asked = append(m.asked, a)
	answer := m.answer
	m.mu.Unlock()
	said := answer(a)
	w.Header().Set("Content-Type", "application/json")
	if said.RetryAfter != "" {
		w.Header().Set("Retry-After", said.RetryAfter)
	}
	if said.Status != 0 && said.Status != http.StatusOK {
		w.WriteHeader(said.Status)
		writeTo(w, map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": said.Error, "param": nil, "code": nil}})
		return
	}
	if said.Raw != "" {
		_, _ = w.Write([]byte(said.Raw)) // who asked has gone away
		return
	}
	if said.Input == 0 {
		said.Input = int64(len(a.System)+len(strings.Join(a.Turns, ""))) / 4
	}
	if a.Protocol == "anthropic" {
		writeTo(w, said.anthropic(a))
	} else {
		writeTo(w, said.openAI(a))
	}
}

func writeTo(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // who asked has gone away
}

// tell answers what is asked about models, as doctors do.
func (m *Model) tell(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case r.Header.Get("Authorization") == "Bearer wrong" || r.Header.Get("X-Api-Key") == "wrong":
		w.WriteHeader(http.StatusUnauthorized)
		writeTo(w, map[string]any{"error": map[string]any{"message": "no such key"}})
	case name == "unknown":
		w.WriteHeader(http.StatusNotFound)
		writeTo(w, map[string]any{"error": map[string]any{"message": "no such model"}})
	case name == "models":
		writeTo(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "stand-in", "object": "model"}}})
	default:
		w.Header().Set("Content-Type", "application/json")
		writeTo(w, map[string]any{"id": name, "object": "model", "type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
	}
}

func readOpenAI(r *http.Request, body map[string]any) Asked {
	a := Asked{Path: r.URL.Path, Protocol: "openai", Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), Body: body}
	a.Model, _ = body["model"].(string)
	for _, one := range list(body["messages"]) {
		text, pictures := textOf(one["content"])
		a.Pictures += pictures
		if one["role"] == "system" {
			a.System = text
			continue
		}
		a.Turns = append(a.Turns, text)
	}
	format, _ := body["response_format"].(map[string]any)
	switch format["type"] {
	case "json_schema":
		a.Strict = "schema"
	case "json_object":
		a.Strict = "json"
	}
	a.readForm()
	return a
}

func readAnthropic(r *http.Request, body map[string]any) Asked {
	a := Asked{Path: r.URL.Path, Protocol: "anthropic", Key: r.Header.Get("X-Api-Key"), Body: body}
	a.Model, _ = body["model"].(string)
	a.System, _ = textOf(body["system"])
	for _, one := range list(body["messages"]) {
		text, pictures := textOf(one["content"])
		a.Pictures += pictures
		a.Turns = append(a.Turns, text)
	}
	if config, ok := body["output_config"].(map[string]any); ok && config["format"] != nil {
		a.Strict = "schema"
	} else if body["tools"] != nil {
		a.Strict = "json"
	}
	a.readForm()
	return a
}

func list(v any) []map[string]any {
	var all []map[string]any
	values, _ := v.([]any)
	for _, one := range values {
		if object, ok := one.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

func textOf(v any) (text string, pictures int) {
	if s, ok := v.(string); ok {
		return s, 0
	}
	for _, part := range list(v) {
		if s, ok := part["text"].(string); ok {
			text += s
		}
		if part["type"] == "image" || part["type"] == "image_url" {
			pictures++
		}
	}
	return text, pictures
}

// readForm finds the form at the end of the last question.
func (a *Asked) readForm() {
	if len(a.Turns) == 0 {
		return
	}
	last := a.Turns[len(a.Turns)-1]
	if at := strings.LastIndex(last, "\n{\"type\":\"object\""); at >= 0 {
		a.Form = json.RawMessage(strings.TrimSpace(last[at:]))
	}
}

// Fields are the keys that the form asks for.
func (a Asked) Fields() []string {
	var form struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(a.Form, &form) // a test that gets none sees it
	return form.Required
}

var numbered = regexp.MustCompile(`(?m)^(\d+)\| (.*)$`)

// Line is a line of the document as it was shown.
type Line struct {
	Number string
	Text   string
}

// Lines are those of the document that the question shows.
func (a Asked) Lines() []Line {
	var lines []Line
	for _, found := range numbered.FindAllStringSubmatch(a.Turns[0], -1) {
		lines = append(lines, Line{found[1], found[2]})
	}
	return lines
}

func (s Said) openAI(a Asked) map[string]any {
	finish, message := "stop", map[string]any{"role": "assistant", "content": s.Text, "refusal": nil}
	switch s.Finish {
	case "length":
		finish = "length"
	case "refusal":
		message["content"], message["refusal"] = nil, "I will not."
	}
	return map[string]any{
		"id": "chat", "object": "chat.completion", "created": 1, "model": a.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
		"usage":   map[string]any{"prompt_tokens": s.Input, "completion_tokens": len(s.Text)/4 + 1, "total_tokens": s.Input},
	}
}

func (s Said) anthropic(a Asked) map[string]any {
	stop, content := "end_turn", []any{map[string]any{"type": "text", "text": s.Text}}
	switch {
	case s.Finish == "length":
		stop = "max_tokens"
	case s.Finish == "refusal":
		stop, content = "refusal", []any{}
	case a.Strict == "json" && json.Valid([]byte(s.Text)):
		stop, content = "tool_use", []any{map[string]any{"type": "tool_use", "id": "t", "name": "answer", "input": json.RawMessage(s.Text)}}
	}
	return map[string]any{
		"id": "msg", "type": "message", "role": "assistant", "model": a.Model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": s.Input, "output_tokens": len(s.Text)/4 + 1},
	}
}
