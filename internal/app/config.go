package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"
)

// Environment says how careful the service is.
type Environment string

// The environments.
const (
	Development Environment = "development"
	Production  Environment = "production"
)

// Config is everything that can be set about the service.
type Config struct {
	Listen        string // host:port; port 0 takes any free one
	MetricsListen string // "": /metrics is served on Listen
	DataDir       string
	DatabaseURL   string // "": SQLite in DataDir
	Env           Environment
	RateLimit     int
	DrainTimeout  time.Duration

	Log *slog.Logger
	Now func() time.Time // nil: time.Now
}

// Default is the configuration of a service that nobody has configured.
func Default() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		DataDir:      "./data",
		Env:          Development,
		RateLimit:    150,
		DrainTimeout: 30 * time.Second,
		Log:          slog.New(slog.DiscardHandler),
		Now:          time.Now,
	}
}

// Validate reports all mistakes at once.
func (c Config) Validate() error {
	var found []error
	refuse := func(format string, args ...any) { found = append(found, fmt.Errorf(format, args...)) }
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		refuse("--listen: host:port such as 127.0.0.1:8080 is needed, not %q", c.Listen)
	}
	if c.MetricsListen != "" {
		if _, _, err := net.SplitHostPort(c.MetricsListen); err != nil {
			refuse("--metrics-listen: host:port such as 127.0.0.1:9090 is needed, not %q", c.MetricsListen)
		}
	}
	if c.RateLimit < 1 {
		refuse("--rate-limit: at least 1 request a minute is needed, not %d", c.RateLimit)
	}
	if c.DrainTimeout < 0 {
		refuse("--drain-timeout: it cannot be negative")
	}
	return errors.Join(append(found, c.ValidateStore())...)
}

// ValidateStore reports the mistakes in what commands beside the server need.
func (c Config) ValidateStore() error {
	var found []error
	if c.Env != Development && c.Env != Production {
		found = append(found, fmt.Errorf("--env: development or production is needed, not %q", c.Env))
	}
	if c.DataDir == "" && c.DatabaseURL == "" {
		found = append(found, errors.New("--data: a folder is needed"))
	}
	if c.DatabaseURL != "" {
		// The URL is not shown: it may hold a password.
		if u, err := url.Parse(c.DatabaseURL); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			found = append(found, errors.New("--database-url: it must begin with postgres:// (leave it empty for SQLite in the data folder)"))
		}
	}
	return errors.Join(found...)
}
