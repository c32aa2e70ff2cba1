// Package telemetry makes the logger and the metrics registry that the rest
// of the service is handed. It decides on form, not on what is worth telling.
package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"fieldlift"
)

// NewLogger makes a logger of format "text" or "json".
func NewLogger(w io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "text":
		return slog.New(contextHandler{slog.NewTextHandler(w, options)}), nil
	case "json":
		return slog.New(contextHandler{slog.NewJSONHandler(w, options)}), nil
	}
	return nil, fmt.Errorf("the log format is text or json, not %q", format)
}

// NewRegistry makes a registry that already tells of the process, the Go
// runtime and the build.
func NewRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "fieldlift_build_info",
		Help:        "Always 1; the labels tell which build runs.",
		ConstLabels: prometheus.Labels{"version": fieldlift.Version, "revision": Revision()},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// Revision tells the commit that was built, "unknown" if the build was not
// told.
func Revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				return setting.Value
			}
		}
	}
	return "unknown"
}
