package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/telemetry"
)

func serveCommand() command {
	return command{
		name:     "serve",
		synopsis: "[flags]",
		summary:  "Run the whole service in one process",
		about: `
Without any flag it keeps everything in ./data (SQLite) and answers on
http://127.0.0.1:8080. Its very first start in development makes a demo account
with a key and prints them; in production it makes nothing.

SIGTERM or Ctrl-C lets the requests under way finish; a second one ends at once.

Nothing leaves this machine unless a model is connected with --model and asked
for with --engine, or by a parser's "engine": see docs/MODELS.md.

Examples:

  fieldlift serve
  fieldlift serve --engine auto --model qwen3:14b --model-url http://127.0.0.1:11434/v1
  fieldlift serve --listen :8080 --env production --data /var/lib/fieldlift
  FIELDLIFT_DATABASE_URL=postgres://fieldlift@db/fieldlift fieldlift serve --env production`,
		run: serve,
	}
}

func serve(ctx context.Context, c *call) error {
	config, err := readServeConfig(c)
	if err != nil {
		return err
	}
	ctx = fieldlift.WithActor(ctx, fieldlift.Actor{}) // what it does by itself, no command did
	service, err := app.New(ctx, config)
	if err != nil {
		return err
	}
	announce(c, service, config)
	config.Log.Info("serving", "url", service.URL(), "env", config.Env, "version", fieldlift.Version)
	err = service.Run(ctx)
	if err == nil {
		config.Log.Info("stopped")
	}
	return err
}

func readServeConfig(c *call) (app.Config, error) {
	config := app.Default()
	stored := storeFlags(c)
	listen := c.text("listen", config.Listen, "where to answer, as host:port; an empty host means every address")
	metrics := c.text("metrics-listen", "", "where to serve /metrics, if not with the rest")
	rate := c.number("rate-limit", int64(config.RateLimit), "requests a minute for each key, and for each address without a valid key")
	submit := c.number("submit-rate-limit", int64(config.SubmitLimit), "submissions a minute for each key")
	blobs := c.text("blob-url", "", "s3://bucket/prefix?endpoint=… for S3; empty for files in the data folder")
	role := c.text("role", string(config.Role), "all, api or worker: what this node does")
	workers := c.number("workers", int64(config.Workers), "how many documents are worked on at once")
	cache := c.text("cache", "", "where compiled code is kept, which may go at any time; in the data folder unless set")
	retention := c.duration("retention", 0, "how long finished extractions are kept, such as 30d; 0s keeps them for good")
	activity := c.duration("activity-retention", config.ActivityRetention, "how long is remembered who did what, such as 365d; 0s remembers for good")
	fileBytes := c.number("max-file-bytes", config.MaxFileBytes, "the largest file")
	requestBytes := c.number("max-request-bytes", config.MaxRequestBytes, "the largest submission")
	pages := c.number("max-pages", int64(config.MaxPages), "the most pages of a file")
	pixels := c.number("max-pixels", int64(config.MaxPixels), "the most pixels of an image")
	scans := scanFlags(c)
	proxies := c.networks("trusted-proxies", "networks of the proxies in front, such as 10.1.0.0/16, with commas between: they are believed in X-Forwarded-For where requests come from")
	signUp := c.boolean("signup", "let strangers make accounts in the dashboard")
	signUpCredits := c.number("signup-credits", 0, "credits that such an account begins with")
	models, budgets := modelFlags(c), budgetFlags(c)
	webhooks := webhookFlags(c)
	retries := c.spans("webhook-retries", config.WebhookRetries, "how long to wait before each retry of a delivery, with commas between")
	drain := c.duration("drain-timeout", config.DrainTimeout, "how long requests under way may take when the service stops")
	format := c.text("log-format", "", "text or json; text in development, json in production unless set")
	level := c.text("log-level", "info", "debug, info, warn or error")
	if _, err := c.parse(); err != nil {
		return config, err
	}
	stored(&config)
	config.Listen, config.MetricsListen = *listen, *metrics
	config.RateLimit, config.SubmitLimit, config.DrainTimeout = int(*rate), int(*submit), *drain
	config.BlobURL, config.Role, config.Workers, config.Retention = *blobs, app.Role(*role), int(*workers), *retention
	config.MaxFileBytes, config.MaxRequestBytes = *fileBytes, *requestBytes
	config.CacheDir, config.ActivityRetention = *cache, *activity
	config.MaxPages, config.MaxPixels = int(*pages), int(*pixels)
	scans(&config)
	config.SignUp, config.SignUpCredits, config.TrustedProxies = *signUp, *signUpCredits, *proxies
	models(&config)
	budgets(&config)
	webhooks(&config)
	config.WebhookRetries = *retries
	var logged error
	config.Log, logged = newLog(c.Stderr, *format, *level, config.Env)
	return config, c.err(logged, config.Validate())
}

func newLog(w io.Writer, format, level string, env app.Environment) (*slog.Logger, error) {
	if format == "" {
		format = "text"
		if env == app.Production {
			format = "json"
		}
	}
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level: debug, info, warn or error is needed, not %q", level)
	}
	log, err := telemetry.NewLogger(w, format, least)
	if err != nil {
		return nil, fmt.Errorf("--log-format: %w", err)
	}
	return log, nil
}

// storeFlags defines the flags that every command with a store has, and gives
// the function that puts their values into a configuration.
func storeFlags(c *call) func(*app.Config) {
	usual := app.Default()
	data := c.text("data", usual.DataDir, "the data folder")
	database := c.text("database-url", "", "postgres://… for PostgreSQL; empty for SQLite in the data folder")
	env := c.text("env", string(usual.Env), "development or production; production makes svc_live_ keys and no demo account")
	key := c.text("secret-key", "", "seals webhooks' secrets: 64 hex digits, the same on all nodes; a file in the data folder unless set")
	keyFile := c.text("secret-key-file", "", "a file that holds the secret key")
	return func(config *app.Config) {
		config.DataDir, config.DatabaseURL, config.Env = *data, *database, app.Environment(*env)
		config.SecretKey, config.SecretKeyFile = *key, *keyFile
	}
}

// webhookFlags defines the flags that say which webhooks are possible.
func webhookFlags(c *call) func(*app.Config) {
	most := c.number("max-webhooks", int64(app.Default().MaxWebhooks), "the most webhooks of an account")
	networks := networksFlag(c)
	return func(config *app.Config) {
		config.MaxWebhooks = int(*most)
		networks(config)
	}
}

// networksFlag is for all that call webhooks, or check whether they can be.
func networksFlag(c *call) func(*app.Config) {
	networks := c.networks("webhook-networks", "networks that webhooks may call in production though they are not public, such as 10.1.0.0/16, with commas between")
	return func(config *app.Config) { config.WebhookNetworks = *networks }
}

// announce tells the person at the terminal where to go on, in commands that
// can be copied as they stand.
func announce(c *call, service *app.App, config app.Config) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(c.Stdout, format, args...) }
	say("Fieldlift %s answers at %s (API page: %s/docs)\n", fieldlift.Version, service.URL(), service.URL())
	where := ""
	switch {
	case config.DatabaseURL != "":
		where = " --database-url 'the one of this server'" // which may hold a password, and is not shown
	case config.DataDir != app.Default().DataDir:
		where = " --data " + config.DataDir
	}
	switch first := service.Welcome; {
	case first != nil:
		say(`
A demo account was made, with %d credits and the parser %s.
Open the address in a browser and sign in:

  e-mail   %s
  password %s
  API key  %s

They are shown only now. Or try:

  curl -H 'X-API-Key: %s' %s/v1/me

`, first.Credits, first.ParserID, first.Email, first.Password, first.FullKey, first.FullKey, service.URL())
	case config.Env == app.Production:
		say(`
The first account and its key, if there are none yet:

  %[1]s account create --env production%[2]s --email you@example.com --name You --password - --credits 1000 --admin
  %[1]s key create --env production%[2]s --account you@example.com --name first

`, c.Program, where)
	default:
		say(`
Keys are shown only when they are made. Another one, ready to use:

  KEY=$(%s key create%s --account %s --name %s)
  curl -H "X-API-Key: $KEY" %s/v1/me

`, c.Program, where, service.FirstAccount, "key-"+time.Now().UTC().Format("20060102-150405"), service.URL())
	}
}
