package telemetry

import (
	"context"
	"log/slog"
	"slices"
)

type attributesKey struct{}

// With gives a context whose log lines carry these attributes, on top of those
// that ctx has: ids of the request, the account and so on, named once where
// they become known.
func With(ctx context.Context, attributes ...slog.Attr) context.Context {
	before, _ := ctx.Value(attributesKey{}).([]slog.Attr)
	return context.WithValue(ctx, attributesKey{}, append(slices.Clip(before), attributes...))
}

// contextHandler adds a context's attributes to each line.
type contextHandler struct{ slog.Handler }

func (h contextHandler) Handle(ctx context.Context, line slog.Record) error {
	if attributes, ok := ctx.Value(attributesKey{}).([]slog.Attr); ok {
		line.AddAttrs(attributes...)
	}
	return h.Handler.Handle(ctx, line)
}

func (h contextHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attributes)}
}

func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}
