// Package app builds the whole service from its configuration and runs it. It
// is the only one that knows which store and which drivers stand behind the
// interfaces of the other packages; it holds no rules of its own.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/deliver"
	"fieldlift/internal/httpapi"
	"fieldlift/internal/keeper"
	"fieldlift/internal/ocr"
	"fieldlift/internal/outbound"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/process"
	"fieldlift/internal/reader"
	"fieldlift/internal/store"
	"fieldlift/internal/telemetry"
	"fieldlift/internal/transcribe"
)

// App is the service, listening but not yet serving.
type App struct {
	config   Config
	store    *store.Store
	listener net.Listener
	server   *http.Server
	metrics  *metricsServer // nil when /metrics is served with the rest
	unlock   func()
	draining atomic.Bool
	started  time.Time

	filesMutex sync.Mutex
	filesAsked time.Time
	filesError error

	blobs       blob.Bucket
	files       fileCounter
	reader      *reader.Reader
	images      *pageimage.Images
	recognizer  *ocr.Tesseract
	transcriber *transcribe.Transcriber
	keeper      *keeper.Keeper
	processor   *process.Processor
	receivers   *outbound.Client
	deliverer   *deliver.Deliverer
	stopPages   func() // nil: there are none
	canSeal     bool   // this node has the key of webhooks' secrets

	// Welcome is what a very first start made; nil at any other.
	Welcome *Welcome
	// FirstAccount is the e-mail address of the oldest account, if there is one.
	FirstAccount string
}

type metricsServer struct {
	listener net.Listener
	server   *http.Server
}

// New opens the store, brings it up to date and begins to listen. Run serves;
// an App that is never run must be closed.
func New(ctx context.Context, c Config) (*App, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	unlock, err := lockFolder(c)
	if err != nil {
		return nil, err
	}
	opened, err := openStore(ctx, c)
	if err != nil {
		unlock()
		return nil, err
	}
	a := &App{config: c, store: opened, unlock: unlock, started: time.Now()}
	if err := a.build(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// openStore opens the store of a service, which has a key for its secrets.
func openStore(ctx context.Context, c Config) (*store.Store, error) {
	if err := makeSecretKey(c); err != nil {
		return nil, err
	}
	return OpenStore(ctx, c)
}

func (a *App) build(ctx context.Context) error {
	registry := telemetry.NewRegistry()
	registry.MustRegister(a.store.Collector())
	err := a.buildWork(ctx, registry)
	if err != nil {
		return err
	}
	if err := a.buildDeliveries(ctx, registry); err != nil {
		return err
	}
	if a.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", a.config.Listen); err != nil {
		return err
	}
	takesIn := a.newIntake()
	sampler := a.newSampler(takesIn)
	pages, err := a.newPages(takesIn, sampler)
	if err != nil {
		return err
	}
	a.server = a.newServer(httpapi.New(httpapi.Config{
		Store:           a.store,
		Intake:          takesIn,
		Sampler:         sampler,
		Remover:         a.keeper,
		Receivers:       a.receivers,
		Tester:          a.deliverer,
		Pages:           pages,
		MaxWebhooks:     a.config.MaxWebhooks,
		MaxRequestBytes: a.config.MaxRequestBytes,
		OperationsOnly:  a.config.Role == Worker,
		Proxies:         a.config.TrustedProxies,
		UploadStall:     a.config.UploadStall,
		Ready:           a.ready,
		Missing:         a.missing,
		Log:             a.config.Log,
		Registry:        registry,
		Metrics:         a.config.MetricsListen == "",
		Now:             a.config.Now,
	}))
	if a.stopPages != nil {
		a.server.RegisterOnShutdown(a.stopPages)
	}
	if a.config.MetricsListen != "" {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", a.config.MetricsListen)
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		a.metrics = &metricsServer{listener, a.newServer(mux)}
	}
	if a.FirstAccount, err = a.store.FirstAccount(ctx); err != nil || a.FirstAccount != "" || a.config.Env != Development {
		return err
	}
	// Last: what it makes is told only once, so nothing may fail after it.
	if a.Welcome, err = welcome(ctx, a.store); err != nil {
		return fmt.Errorf("make the demo account: %w", err)
	}
	return nil
}

// newServer bounds what a slow or greedy client can hold on to.
func (a *App) newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:                      handler,
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  30 * time.Second,
		WriteTimeout:                 time.Minute,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is refused like any other unknown path
		ErrorLog:                     slog.NewLogLogger(a.config.Log.Handler(), slog.LevelWarn),
	}
}

// URL is where the service answers.
func (a *App) URL() string {
	host, port, _ := net.SplitHostPort(a.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// MetricsURL is where metrics are served.
func (a *App) MetricsURL() string {
	if a.metrics != nil {
		return "http://" + a.metrics.listener.Addr().String() + "/metrics"
	}
	return a.URL() + "/metrics"
}

// Run serves until ctx ends, then lets the requests under way finish. It
// closes the App.
func (a *App) Run(ctx context.Context) error {
	defer a.Close()
	group, ctx := errgroup.WithContext(ctx)
	serve := func(server *http.Server, listener net.Listener) {
		group.Go(func() error {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			return a.drain(server)
		})
	}
	serve(a.server, a.listener)
	if a.metrics != nil {
		serve(a.metrics.server, a.metrics.listener)
	}
	group.Go(func() error {
		a.keeper.Run(ctx)
		return nil
	})
	group.Go(func() error {
		a.images.Run(ctx)
		return nil
	})
	group.Go(func() error {
		// The first file should not have to wait for PDFium to be compiled.
		if a.config.ColdReader {
			return nil
		}
		if err := a.reader.Warm(ctx); err != nil && ctx.Err() == nil {
			a.config.Log.Warn("the reader of files could not be started", "error", err)
		}
		if err := a.transcriber.Warm(ctx); err != nil && ctx.Err() == nil && a.config.Role != API {
			a.config.Log.Warn("scans will not be looked at a second time", "error", err)
		}
		return nil
	})
	if a.config.Role != API {
		group.Go(func() error {
			defer a.processor.Wait()
			return a.store.Work(ctx, a.config.Workers, a.processor.Take)
		})
		if a.canSeal {
			group.Go(func() error {
				a.deliverer.Run(ctx)
				return nil
			})
		}
	}
	return group.Wait()
}

// Upkeep does all upkeep at once instead of in its time.
func (a *App) Upkeep(ctx context.Context) error { return a.keeper.Once(ctx) }

// drain stops a server: no new requests, and those under way have the drain
// timeout to finish.
func (a *App) drain(server *http.Server) error {
	a.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), a.config.DrainTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		a.config.Log.Warn("requests were cut off", "after", a.config.DrainTimeout, "error", err)
		return server.Close()
	}
	return nil
}

// ready reports whether requests can be taken.
func (a *App) ready(ctx context.Context) error {
	if a.draining.Load() {
		return fieldlift.Errorf(fieldlift.ServiceUnavailable, "This process is about to stop.")
	}
	if err := a.store.Ping(ctx); err != nil {
		return err
	}
	return a.filesReady(ctx)
}

// missing says what is not there that documents may need. Requests are taken
// all the same.
func (a *App) missing(ctx context.Context) []string {
	if a.config.Role == API {
		return nil // others read the documents
	}
	var list []string
	if text := a.missingRecognizer(ctx); text != "" {
		list = append(list, text)
	}
	if text := a.missingModel(); text != "" {
		list = append(list, text)
	}
	return list
}

func (a *App) missingRecognizer(ctx context.Context) string {
	found := a.recognizer.Installed(ctx)
	advice := found.Advice()
	switch {
	case found.Err != nil:
		return "Scans and photographs wait: tesseract cannot be run at the moment."
	case advice == "":
		return ""
	case len(found.Languages) == 0:
		return "Scans and photographs cannot be read: tesseract is not there, or has no data for the languages wanted. " + advice + "."
	}
	return "Scans in some of the languages wanted cannot be read well. " + advice + "."
}

// filesInterval is how often the file store is asked, which may be far away.
const filesInterval = 10 * time.Second

// filesReady reports whether the file store could be written to of late.
func (a *App) filesReady(ctx context.Context) error {
	a.filesMutex.Lock()
	defer a.filesMutex.Unlock()
	if time.Since(a.filesAsked) > filesInterval {
		a.filesAsked, a.filesError = time.Now(), a.blobs.Check(context.WithoutCancel(ctx)) // who asks may go away
	}
	return a.filesError
}

// Close lets go of everything. It may be called more than once.
func (a *App) Close() {
	if a.listener != nil {
		_ = a.listener.Close() // closed before, by the server, when it has run
	}
	if a.metrics != nil {
		_ = a.metrics.listener.Close()
	}
	if a.reader != nil {
		a.reader.Close()
	}
	if a.receivers != nil {
		a.receivers.Close()
	}
	_ = os.RemoveAll(a.spoolDir())
	a.store.Close()
	a.unlock()
}
