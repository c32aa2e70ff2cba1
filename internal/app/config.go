package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/seal"
)

// Environment says how careful the service is.
type Environment string

// The environments.
const (
	Development Environment = "development"
	Production  Environment = "production"
)

// Role says what a node does.
type Role string

// The roles of nodes.
const (
	All    Role = "all"
	API    Role = "api"    // takes requests
	Worker Role = "worker" // works on documents
)

// Config is everything that can be set about the service.
type Config struct {
	Listen        string // host:port; port 0 takes any free one
	MetricsListen string // "": /metrics is served on Listen
	DataDir       string
	DatabaseURL   string // "": SQLite in DataDir
	Env           Environment
	RateLimit     int
	SubmitLimit   int
	DrainTimeout  time.Duration

	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	SignUp        bool  // strangers may make accounts in the dashboard
	SignUpCredits int64 // what such an account begins with

	BlobURL   string // "": files in DataDir; s3://bucket?endpoint=…
	Role      Role
	Workers   int           // documents at once
	Retention time.Duration // 0: results are kept for good

	ActivityRetention time.Duration // of who did what; 0: for good

	SecretKey       string // seals webhooks' secrets; "": that of SecretKeyFile
	SecretKeyFile   string // "": in DataDir, made when it is not there
	WebhookRetries  fieldlift.Schedule
	WebhookNetworks []netip.Prefix // not public, but webhooks may call them in production
	MaxWebhooks     int            // of an account

	MaxFileBytes    int64
	MaxRequestBytes int64
	MaxPages        int
	MaxPixels       int

	ReaderDeadline time.Duration // for one file, or one page that is drawn; 0: the reader's own
	ReaderMemory   int64         // bytes that a process that reads files may hold; 0: the reader's own
	UploadStall    time.Duration // how long an upload may stand still; 0: the interface's own

	Engine fieldlift.EngineChoice // of parsers that leave it to the server
	Model  ModelConfig            // a language model; without a name none is connected

	OCRLanguages []string // what scans are written in, the usual one first
	OCRProgram   string   // "": tesseract, found in PATH
	OCRModels    string   // folder of the models that look at doubtful words again; "": nobody does

	CacheDir   string // for compiled code that may go at any time; "": in DataDir, or the user's cache without a service
	ColdReader bool   // start the reader of files with the first file, not with the service

	// ReaderCommand starts a process that reads files: this program with the
	// command "reader-child" unless tests say otherwise.
	ReaderCommand []string

	Resolver *net.Resolver // of webhooks' hosts; nil: the system's

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
		SubmitLimit:  20,
		DrainTimeout: 30 * time.Second,

		ActivityRetention: 365 * 24 * time.Hour,

		Role:            All,
		Workers:         max(2, runtime.NumCPU()),
		WebhookRetries:  fieldlift.DefaultSchedule,
		MaxWebhooks:     25,
		MaxFileBytes:    100_000_000,
		MaxRequestBytes: 1_000_000_000,
		MaxPages:        500,
		MaxPixels:       100_000_000,
		OCRLanguages:    []string{"eng"},
		Engine:          fieldlift.LayoutEngine,
		Model:           DefaultModel(),

		Log: slog.New(slog.DiscardHandler),
		Now: time.Now,
	}
}

// isLanguage tells the names of tesseract's languages: eng, chi_sim,
// script/Latin.
var isLanguage = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/]{1,40}$`)

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
	if c.SubmitLimit < 1 {
		refuse("--submit-rate-limit: at least 1 submission a minute is needed, not %d", c.SubmitLimit)
	}
	if c.SignUpCredits < 0 || c.SignUpCredits > fieldlift.MaxCredits {
		refuse("--signup-credits: a number from 0 to %d is needed, not %d", int64(fieldlift.MaxCredits), c.SignUpCredits)
	}
	if c.Role != All && c.Role != API && c.Role != Worker {
		refuse("--role: all, api or worker is needed, not %q", c.Role)
	}
	if c.Role != All && c.DatabaseURL == "" {
		refuse("--role: several nodes need PostgreSQL; on SQLite one does all")
	}
	if c.Workers < 1 || c.Workers > 1000 {
		refuse("--workers: a number from 1 to 1000 is needed, not %d", c.Workers)
	}
	if c.Retention < 0 || c.ActivityRetention < 0 {
		refuse("--retention, --activity-retention: they cannot be negative")
	}
	if c.MaxFileBytes < 1 || c.MaxRequestBytes < 1 || c.MaxPages < 1 || c.MaxPixels < 1 {
		refuse("--max-file-bytes, --max-request-bytes, --max-pages and --max-pixels: each must be at least 1")
	}
	if c.MaxWebhooks < 1 {
		refuse("--max-webhooks: at least 1 is needed, not %d", c.MaxWebhooks)
	}
	if len(c.WebhookRetries) > mostRetries || slices.ContainsFunc(c.WebhookRetries, func(d time.Duration) bool { return d <= 0 }) {
		refuse("--webhook-retries: at most %d waits are possible, each longer than nothing", mostRetries)
	}
	if c.BlobURL != "" && !strings.HasPrefix(c.BlobURL, "s3://") {
		refuse("--blob-url: it must begin with s3:// (leave it empty for files in the data folder)")
	}
	for _, language := range c.OCRLanguages {
		if !isLanguage.MatchString(language) {
			refuse("--ocr-languages: tesseract's names with commas between, such as eng,deu, are needed, not %q", language)
		}
	}
	found = append(found, c.ValidateModel()...)
	if c.DrainTimeout < 0 {
		refuse("--drain-timeout: it cannot be negative")
	}
	return errors.Join(append(found, c.ValidateStore())...)
}

// mostRetries bounds how often a delivery is tried again.
const mostRetries = 20

// ValidateStore reports the mistakes in what commands beside the server need.
func (c Config) ValidateStore() error {
	var found []error
	if c.Env != Development && c.Env != Production {
		found = append(found, fmt.Errorf("--env: development or production is needed, not %q", c.Env))
	}
	if c.DataDir == "" && c.DatabaseURL == "" {
		found = append(found, errors.New("--data: a folder is needed"))
	}
	if c.SecretKey != "" && c.SecretKeyFile != "" {
		found = append(found, errors.New("--secret-key, --secret-key-file: give one of them"))
	}
	if c.SecretKey != "" {
		if _, err := seal.New(c.SecretKey); err != nil {
			found = append(found, fmt.Errorf("--secret-key: %w", err))
		}
	}
	if c.DatabaseURL != "" {
		// The URL is not shown: it may hold a password.
		if u, err := url.Parse(c.DatabaseURL); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			found = append(found, errors.New("--database-url: it must begin with postgres:// (leave it empty for SQLite in the data folder)"))
		}
	}
	return errors.Join(found...)
}
