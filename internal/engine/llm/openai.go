package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"fieldlift"
)

// openAI speaks the protocol that OpenAI made and most others understand:
// chat completions.
type openAI struct {
	client openai.Client
	model  string
	own    bool // it is OpenAI itself: others refuse what they do not know
}

func newOpenAI(o Options) *openAI {
	options := []option.RequestOption{
		option.WithBaseURL(cmp.Or(o.URL, "https://api.openai.com/v1/")),
		option.WithHTTPClient(o.client()),
		option.WithMaxRetries(0),
		option.WithAPIKey(o.Key), // also when it is empty: the environment's key is not ours to send
		option.WithHeaderDel("OpenAI-Organization"),
		option.WithHeaderDel("OpenAI-Project"),
	}
	if o.Key == "" {
		options = append(options, option.WithHeaderDel("Authorization"))
	}
	own := o.URL == "" || strings.Contains(o.URL, "//api.openai.com")
	return &openAI{openai.NewClient(options...), o.Model, own}
}

func (p *openAI) ask(ctx context.Context, c call) (reply, error) {
	parameters := openai.ChatCompletionNewParams{Model: p.model, Messages: p.messages(c)}
	if p.own {
		parameters.Store = openai.Bool(false)
	}
	if c.oldLimit {
		parameters.MaxTokens = openai.Int(c.most)
	} else {
		parameters.MaxCompletionTokens = openai.Int(c.most)
	}
	if !c.plain {
		parameters.Temperature = openai.Float(0)
	}
	switch c.strict {
	case bySchema:
		parameters.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "answer", Strict: openai.Bool(true), Schema: c.form,
		}}
	case byJSON:
		parameters.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	answer, err := p.client.Chat.Completions.New(ctx, parameters)
	if err != nil {
		return reply{}, openAIFault(ctx, err)
	}
	r := reply{tokens: fieldlift.ModelTokens{Calls: 1, Input: answer.Usage.PromptTokens, Output: answer.Usage.CompletionTokens}}
	if len(answer.Choices) == 0 {
		r.refusal = "it gave no answer"
		return r, nil
	}
	choice := answer.Choices[0]
	r.text = choice.Message.Content
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

func (p *openAI) messages(c call) []openai.ChatCompletionMessageParamUnion {
	messages := []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(c.system)}
	for i, t := range c.turns {
		switch {
		case !t.ours:
			messages = append(messages, openai.AssistantMessage(t.text))
		case i == 0 && len(c.pictures) > 0:
			parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(t.text)}
			for _, one := range c.pictures {
				parts = append(parts, openai.TextContentPart(one.title()),
					openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
						URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(one.png),
					}))
			}
			messages = append(messages, openai.UserMessage(parts))
		default:
			messages = append(messages, openai.UserMessage(t.text))
		}
	}
	return messages
}

func (p *openAI) check(ctx context.Context) error {
	_, err := p.client.Models.Get(ctx, p.model)
	err = openAIFault(ctx, err)
	if f, ok := errors.AsType[*fault](err); ok && f.status == http.StatusNotFound {
		// Not all servers know the models by name; a list is common to them.
		list, listed := p.client.Models.List(ctx)
		if listed != nil {
			return openAIFault(ctx, listed)
		}
		for _, one := range list.Data {
			if one.ID == p.model {
				return nil
			}
		}
		return errUnknownModel
	}
	return err
}

func openAIFault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var refused *openai.Error
	if errors.As(err, &refused) {
		var header http.Header
		if refused.Response != nil {
			header = refused.Response.Header
		}
		return asFault(ctx, refused.StatusCode, refused.Param+" "+refused.Code+" "+refused.Message+" "+refused.RawJSON(), header, err)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return asFault(ctx, http.StatusBadGateway, "", nil, err) // whoever answered is not who was asked
	}
	return asFault(ctx, 0, "", nil, withoutURL(err))
}
