package api

import (
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
)

// Detection asks for a parser's fields to be detected from a sample. Give File,
// or SampleFileID to use a sample that was given before.
type Detection struct {
	File         Upload
	SampleFileID string
	// Prompt narrows or adds: "only the totals", "include the buyer's VAT number".
	Prompt string
	// ReplaceExistingSchema replaces the schema that the parser has.
	ReplaceExistingSchema bool
}

// Detected is what a parser was configured with.
type Detected struct {
	ParserID     string          `json:"parser_id"`
	SampleFileID string          `json:"sample_file_id"`
	DocumentType *string         `json:"document_type"`
	Schema       json.RawMessage `json:"schema"`
	CreditsUsed  int64           `json:"credits_used"`
}

// detectAgain is the JSON body of a detection from a sample that is there.
type detectAgain struct {
	SampleFileID          string `json:"sample_file_id"`
	Prompt                string `json:"prompt,omitzero"`
	ReplaceExistingSchema bool   `json:"replace_existing_schema,omitzero"`
}

// DetectFields detects the fields of a sample and makes them the parser's. It
// costs a credit for each page of the sample. A file is streamed and sent once,
// as by Submit.
func (c *Client) DetectFields(ctx context.Context, parserID string, d Detection) (Detected, error) {
	var answer Detected
	path := "/v1/parsers/" + url.PathEscape(parserID) + "/detect-fields"
	if d.SampleFileID != "" {
		err := c.call(ctx, http.MethodPost, path, detectAgain{d.SampleFileID, d.Prompt, d.ReplaceExistingSchema}, &answer)
		return answer, err
	}
	err := c.upload(ctx, path, d.write, nil, &answer)
	return answer, err
}

func (d Detection) write(form *multipart.Writer) error {
	for _, field := range [][2]string{{"prompt", d.Prompt}, {"replace_existing_schema", strconv.FormatBool(d.ReplaceExistingSchema)}} {
		if field[1] == "" {
			continue
		}
		if err := form.WriteField(field[0], field[1]); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", d.File.Name)
	if err != nil {
		return err
	}
	if d.File.Content != nil {
		if _, err := io.Copy(part, d.File.Content); err != nil {
			return err
		}
	}
	return form.Close()
}
