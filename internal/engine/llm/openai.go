package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"fieldlift"
)

// openAI speaks the protocol that OpenAI made and most others understand:
// chat completions.
type openAI struct {
	endpoint
	model string
	own   bool // it is OpenAI itself: others refuse what they do not know
}

const openAIURL = "https://api.openai.com/v1"

func newOpenAI(o Options) *openAI {
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	p := &openAI{endpoint: newEndpoint(o, openAIURL, header), model: o.Model}
	p.own = strings.HasPrefix(p.url.String(), openAIURL)
	return p
}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	MaxCompletionTokens int64           `json:"max_completion_tokens,omitempty"`
	MaxTokens           int64           `json:"max_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	ResponseFormat      *openAIFormat   `json:"response_format,omitempty"`
	Store               *bool           `json:"store,omitempty"`
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // text, or parts
}

type openAIPart struct {
	Type     string         `json:"type"`
	Text     string         `json:"text,omitempty"`
	ImageURL *openAIPicture `json:"image_url,omitempty"`
}

type openAIPicture struct {
	URL string `json:"url"`
}

type openAIFormat struct {
	Type       string        `json:"type"`
	JSONSchema *openAISchema `json:"json_schema,omitempty"`
}

type openAISchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type openAIAnswer struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content content `json:"content"`
			Refusal string  `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     count `json:"prompt_tokens"`
		CompletionTokens count `json:"completion_tokens"`
	} `json:"usage"`
}

func (p *openAI) ask(ctx context.Context, c call) (reply, error) {
	request := openAIRequest{Model: p.model, Messages: p.messages(c)}
	if c.oldLimit {
		request.MaxTokens = c.longest
	} else {
		request.MaxCompletionTokens = c.longest
	}
	if !c.plain {
		request.Temperature = new(0.0)
	}
	if p.own {
		request.Store = new(false)
	}
	switch c.strict {
	case bySchema:
		request.ResponseFormat = &openAIFormat{Type: "json_schema", JSONSchema: &openAISchema{Name: "answer", Strict: true, Schema: c.form}}
	case byJSON:
		request.ResponseFormat = &openAIFormat{Type: "json_object"}
	}
	var answer openAIAnswer
	if err := p.exchange(ctx, http.MethodPost, []string{"chat", "completions"}, request, &answer); err != nil {
		return reply{}, err
	}
	r := reply{tokens: fieldlift.ModelTokens{Calls: 1, Input: int64(answer.Usage.PromptTokens), Output: int64(answer.Usage.CompletionTokens)}}
	if len(answer.Choices) == 0 {
		r.refusal = "it gave no answer"
		return r, nil
	}
	choice := answer.Choices[0]
	r.text = string(choice.Message.Content)
	switch {
	case choice.Message.Refusal != "":
		r.refusal = "it refused"
	case choice.FinishReason == "content_filter":
		r.refusal = "its provider filtered the answer"
	case choice.FinishReason == "length":
		r.cut = true
	}
	return r, nil
}

func (p *openAI) messages(c call) []openAIMessage {
	messages := []openAIMessage{{"system", c.system}}
	for i, t := range c.turns {
		switch {
		case !t.ours:
			messages = append(messages, openAIMessage{"assistant", t.text})
		case i == 0 && len(c.pictures) > 0:
			parts := []openAIPart{{Type: "text", Text: t.text}}
			for _, one := range c.pictures {
				parts = append(parts, openAIPart{Type: "text", Text: one.title()}, openAIPart{
					Type: "image_url", ImageURL: &openAIPicture{"data:image/png;base64," + base64.StdEncoding.EncodeToString(one.png)},
				})
			}
			messages = append(messages, openAIMessage{"user", parts})
		default:
			messages = append(messages, openAIMessage{"user", t.text})
		}
	}
	return messages
}

// check looks for the model by its name and, because not all servers know them
// so, in the list of all.
func (p *openAI) check(ctx context.Context) error {
	var one struct{}
	err := p.exchange(ctx, http.MethodGet, []string{"models", p.model}, nil, &one)
	if f, ok := errors.AsType[*fault](err); !ok || f.status != http.StatusNotFound {
		return err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := p.exchange(ctx, http.MethodGet, []string{"models"}, nil, &list); err != nil {
		return err
	}
	for _, known := range list.Data {
		if slices.Contains([]string{p.model, p.model + ":latest", "models/" + p.model}, known.ID) {
			return nil
		}
	}
	return errUnknownModel
}
