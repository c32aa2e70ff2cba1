package cli

import (
	"context"
)

func evalCommand() command {
	return command{
		name:     "eval",
		synopsis: "--ocr [FILE|FOLDER…]",
		summary:  "Measure how well documents are read",
		about:    evalOCRAbout,
		run:      func(ctx context.Context, c *call) error { return evalOCR(ctx, c) },
	}
}
