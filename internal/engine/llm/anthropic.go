package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"fieldlift"
)

// anthropicAPI speaks Anthropic's protocol: messages.
type anthropicAPI struct {
	client anthropic.Client
	model  string
}

func newAnthropic(o Options) *anthropicAPI {
	return &anthropicAPI{anthropic.NewClient(
		option.WithoutEnvironmentDefaults(), // its key and its address are not ours to use
		option.WithBaseURL(cmp.Or(o.URL, "https://api.anthropic.com/")),
		option.WithHTTPClient(o.client()),
		option.WithMaxRetries(0),
		option.WithAPIKey(o.Key),
	), o.Model}
}

// answerTool is the name of the form, where it is filled in as a tool's input.
const answerTool = "answer"

func (p *anthropicAPI) ask(ctx context.Context, c call) (reply, error) {
	parameters := anthropic.MessageNewParams{
		Model: p.model, MaxTokens: c.most, Messages: p.messages(c),
		System: []anthropic.TextBlockParam{{Text: c.system}},
	}
	if !c.plain {
		parameters.Temperature = anthropic.Float(0)
	}
	var form map[string]any
	if err := json.Unmarshal(c.form, &form); err != nil {
		return reply{}, err
	}
	switch c.strict {
	case bySchema:
		parameters.OutputConfig.Format.Schema = form
	case byJSON:
		parameters.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: answerTool, Description: anthropic.String("Takes the answer."),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: form["properties"], Required: asTexts(form["required"])},
		}}}
		parameters.ToolChoice = anthropic.ToolChoiceParamOfTool(answerTool)
	}
	answer, err := p.client.Messages.New(ctx, parameters)
	if err != nil {
		return reply{}, anthropicFault(ctx, err)
	}
	u := answer.Usage
	r := reply{tokens: fieldlift.ModelTokens{Calls: 1, Input: u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens, Output: u.OutputTokens}}
	var text strings.Builder
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			text.WriteString(block.Text)
		case "tool_use":
			text.Reset()
			text.Write(block.Input)
		}
	}
	r.text = text.String()
	switch answer.StopReason {
	case anthropic.StopReasonRefusal:
		r.refusal = "it refused"
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		r.cut = true
	}
	return r, nil
}

func asTexts(list any) []string {
	var texts []string
	values, _ := list.([]any)
	for _, v := range values {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (p *anthropicAPI) messages(c call) []anthropic.MessageParam {
	var messages []anthropic.MessageParam
	for i, t := range c.turns {
		if !t.ours {
			messages = append(messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock(t.text)))
			continue
		}
		blocks := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(t.text)}
		if i == 0 {
			for _, one := range c.pictures {
				blocks = append(blocks, anthropic.NewTextBlock(one.title()),
					anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(one.png)))
			}
		}
		messages = append(messages, anthropic.NewUserMessage(blocks...))
	}
	return messages
}

func (p *anthropicAPI) check(ctx context.Context) error {
	_, err := p.client.Models.Get(ctx, p.model, anthropic.ModelGetParams{})
	err = anthropicFault(ctx, err)
	if f, ok := errors.AsType[*fault](err); ok && f.status == http.StatusNotFound {
		return errUnknownModel
	}
	return err
}

func anthropicFault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var refused *anthropic.Error
	if errors.As(err, &refused) {
		var header http.Header
		if refused.Response != nil {
			header = refused.Response.Header
		}
		return asFault(ctx, refused.StatusCode, refused.RawJSON(), header, err)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return asFault(ctx, http.StatusBadGateway, "", nil, err)
	}
	return asFault(ctx, 0, "", nil, withoutURL(err))
}
