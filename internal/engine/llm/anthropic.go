package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"fieldlift"
)

// anthropic speaks Anthropic's protocol: messages.
type anthropic struct {
	endpoint
	model string
}

const (
	anthropicURL     = "https://api.anthropic.com"
	anthropicVersion = "2023-06-01"
)

func newAnthropic(o Options) *anthropic {
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if o.Key != "" {
		header.Set("X-Api-Key", o.Key)
	}
	p := &anthropic{newEndpoint(o, anthropicURL, header), o.Model}
	p.url.Path, p.url.RawPath = strings.TrimSuffix(p.url.Path, "/v1"), strings.TrimSuffix(p.url.RawPath, "/v1") // as people write it, or not
	return p
}

// answerTool is the name of the form, where it is filled in as a tool's input.
const answerTool = "answer"

type anthropicRequest struct {
	Model        string                 `json:"model"`
	MaxTokens    int64                  `json:"max_tokens"`
	System       string                 `json:"system"`
	Messages     []anthropicMessage     `json:"messages"`
	Temperature  *float64               `json:"temperature,omitempty"`
	OutputConfig *anthropicOutputConfig `json:"output_config,omitempty"`
	Tools        []anthropicTool        `json:"tools,omitempty"`
	ToolChoice   *anthropicToolChoice   `json:"tool_choice,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicBlock struct {
	Type   string           `json:"type"`
	Text   string           `json:"text,omitempty"`
	Source *anthropicSource `json:"source,omitempty"`
	Input  json.RawMessage  `json:"input,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type anthropicOutputConfig struct {
	Format anthropicFormat `json:"format"`
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type anthropicToolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type anthropicAnswer struct {
	Content    []anthropicBlock `json:"content"`
	StopReason string           `json:"stop_reason"`
	Usage      struct {
		InputTokens              count `json:"input_tokens"`
		CacheCreationInputTokens count `json:"cache_creation_input_tokens"`
		CacheReadInputTokens     count `json:"cache_read_input_tokens"`
		OutputTokens             count `json:"output_tokens"`
	} `json:"usage"`
}

func (p *anthropic) ask(ctx context.Context, c call) (reply, error) {
	request := anthropicRequest{Model: p.model, MaxTokens: c.longest, System: c.system, Messages: p.messages(c)}
	if !c.plain {
		request.Temperature = new(0.0)
	}
	switch c.strict {
	case bySchema:
		request.OutputConfig = &anthropicOutputConfig{anthropicFormat{"json_schema", c.form}}
	case byJSON:
		request.Tools = []anthropicTool{{answerTool, "Takes the answer.", c.form}}
		request.ToolChoice = &anthropicToolChoice{"tool", answerTool}
	}
	var answer anthropicAnswer
	if err := p.exchange(ctx, http.MethodPost, []string{"v1", "messages"}, request, &answer); err != nil {
		return reply{}, err
	}
	u := answer.Usage
	r := reply{tokens: fieldlift.ModelTokens{Calls: 1, Input: int64(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens), Output: int64(u.OutputTokens)}}
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			r.text += block.Text
		case "tool_use":
			r.text = string(block.Input)
		}
	}
	switch answer.StopReason {
	case "refusal":
		r.refusal = "it refused"
	case "max_tokens", "model_context_window_exceeded":
		r.cut = true
	}
	return r, nil
}

func (p *anthropic) messages(c call) []anthropicMessage {
	var messages []anthropicMessage
	for i, t := range c.turns {
		m := anthropicMessage{"assistant", []anthropicBlock{{Type: "text", Text: t.text}}}
		if t.ours {
			m.Role = "user"
		}
		if i == 0 {
			for _, one := range c.pictures {
				m.Content = append(m.Content, anthropicBlock{Type: "text", Text: one.title()}, anthropicBlock{
					Type: "image", Source: &anthropicSource{"base64", "image/png", base64.StdEncoding.EncodeToString(one.png)},
				})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func (p *anthropic) check(ctx context.Context) error {
	var one struct{}
	err := p.exchange(ctx, http.MethodGet, []string{"v1", "models", p.model}, nil, &one)
	if f, ok := errors.AsType[*fault](err); ok && f.status == http.StatusNotFound {
		return errUnknownModel
	}
	return err
}
