package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/app"
)

// verdict is what a check came to.
type verdict string

const (
	fine   verdict = "ok"
	note   verdict = "note" // worth knowing; the service runs
	broken verdict = "FAIL"
)

// finding is one line of the doctor's, with what to do about it.
type finding struct {
	verdict verdict
	about   string
	told    string
	advice  string
}

var errUnwell = errors.New("something would keep the service from running; see above")

func doctor(ctx context.Context, c *call) error {
	config, err := readServeConfig(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	findings := []finding{{fine, "configuration", "it can be read", ""}}
	if config.DatabaseURL == "" {
		findings = append(findings, checkFolder(config.DataDir)...)
	}
	findings = append(findings, checkStore(ctx, config)...)
	if config.BlobURL != "" { // files in the data folder have been seen to
		findings = append(findings, checkFiles(ctx, config))
	}
	findings = append(findings, checkRecognizer(ctx, config), checkSecondLook(config), checkModel(ctx, config))
	findings = append(findings, checkListen(ctx, "address", config.Listen, "--listen"))
	if config.MetricsListen != "" {
		findings = append(findings, checkListen(ctx, "metrics", config.MetricsListen, "--metrics-listen"))
	}
	unwell := false
	for _, f := range findings {
		unwell = unwell || f.verdict == broken
		_, _ = fmt.Fprintf(c.Stdout, "%-4s  %-13s  %s\n", f.verdict, f.about, f.told)
		if f.advice != "" {
			_, _ = fmt.Fprintf(c.Stdout, "%21s→ %s\n", "", f.advice)
		}
	}
	if unwell {
		return errUnwell
	}
	return nil
}

// lowDisk is the free space below which the doctor warns.
const lowDisk = 1 << 30

func checkFolder(dir string) []finding {
	const about = "data folder"
	shown, err := filepath.Abs(dir)
	if err != nil {
		shown = dir
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return []finding{checkParent(about, shown)}
	case err != nil:
		return []finding{{broken, about, err.Error(), "make it readable for the user that runs Fieldlift"}}
	case !info.IsDir():
		return []finding{{broken, about, shown + " is not a folder", "choose another one with --data"}}
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return []finding{{broken, about, "it cannot be written to: " + err.Error(), "give it to the user that runs Fieldlift, for example with chown"}}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	findings := []finding{{fine, about, shown + " can be written to", ""}}
	if free, known := app.FreeDisk(dir); known && free < lowDisk {
		findings = append(findings, finding{note, "disk", fmt.Sprintf("only %d MB are free there", free>>20), "make room, or choose another folder with --data"})
	}
	return findings
}

// checkParent sees whether a folder that is not there yet can be made.
func checkParent(about, dir string) finding {
	parent := filepath.Dir(dir)
	for {
		if _, err := os.Stat(parent); err == nil || parent == filepath.Dir(parent) {
			break
		}
		parent = filepath.Dir(parent)
	}
	probe, err := os.MkdirTemp(parent, ".doctor-*")
	if err != nil {
		return finding{broken, about, dir + " is not there, and cannot be made: " + err.Error(), "choose another one with --data"}
	}
	_ = os.Remove(probe)
	return finding{note, about, dir + " is not there yet", `"fieldlift serve" makes it`}
}

func checkStore(ctx context.Context, config app.Config) []finding {
	const about = "database"
	if !app.HasStore(config) {
		return []finding{{note, about, "there is no SQLite database yet", `"fieldlift serve" makes it`}}
	}
	opened, err := app.LookAtStore(ctx, config)
	if err == nil {
		defer opened.Close()
		err = opened.Ping(ctx)
	}
	if err != nil {
		return []finding{{broken, about, explain(err), "check that it runs, and --database-url"}}
	}
	waiting, err := opened.Pending(ctx)
	switch {
	case err != nil:
		return []finding{{broken, about, explain(err), ""}}
	case waiting:
		return []finding{{note, about, opened.Kind() + " answers; it is not up to date yet", `"fieldlift serve" or "fieldlift migrate" does that`}}
	}
	findings := []finding{{fine, about, opened.Kind() + " answers and is up to date", ""}}
	findings = append(findings, checkKey(ctx, config, opened))
	found, err := opened.FirstAccount(ctx)
	switch {
	case err != nil:
		findings = append(findings, finding{broken, "accounts", explain(err), ""})
	case found == "":
		findings = append(findings, finding{note, "accounts", "there are none yet", `"fieldlift account create" makes one, "fieldlift key create" its key`})
	default:
		findings = append(findings, checkAdmin(ctx, opened))
	}
	return findings
}

// checkAdmin sees whether somebody sees the operator's pages.
func checkAdmin(ctx context.Context, opened *app.Store) finding {
	const about = "accounts"
	switch found, err := opened.HasAdmin(ctx); {
	case err != nil:
		return finding{broken, about, explain(err), ""}
	case !found:
		return finding{note, about, "none of them runs the service, so nobody sees the operator's pages", `"fieldlift account update --email E --admin true" mends that`}
	}
	return finding{fine, about, "there is one that runs the service", ""}
}

// checkKey sees whether this node has the key of webhooks' secrets. Without it
// the service runs, but for webhooks; with a wrong one that was given it does not.
func checkKey(ctx context.Context, config app.Config, opened *app.Store) finding {
	const about = "secret key"
	err := opened.CheckKey(ctx)
	if err == nil {
		return finding{fine, about, "webhooks' secrets can be sealed and opened", ""}
	}
	f := finding{note, about, explain(err), "give all nodes the same --secret-key, or DATA/secret.key of the first one"}
	if config.SecretKey != "" || config.SecretKeyFile != "" {
		f.verdict = broken
	}
	return f
}

func checkFiles(ctx context.Context, config app.Config) finding {
	if err := app.CheckFiles(ctx, config); err != nil {
		return finding{broken, "files", explain(err), "check --blob-url, and the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"}
	}
	return finding{fine, "files", "the S3 bucket can be written to", ""}
}

func checkRecognizer(ctx context.Context, config app.Config) finding {
	const about = "scans"
	found := app.NewRecognizer(config).Installed(ctx)
	switch advice := lowerFirst(found.Advice()); {
	case found.Err != nil:
		return finding{note, about, found.Err.Error(), "see that tesseract --list-langs works for the user that runs Fieldlift"}
	case found.Version == "":
		return finding{note, about, "tesseract is not installed; documents that are pictures fail, others do not", advice + "; elsewhere see https://tesseract-ocr.github.io/tessdoc/Installation.html"}
	case len(found.Missing) > 0:
		return finding{note, about, "tesseract " + found.Version + " has no data for " + strings.Join(found.Missing, ", "), advice + ", or choose others with --ocr-languages"}
	}
	return finding{fine, about, "tesseract " + found.Version + " reads " + strings.Join(found.Languages, ", "), ""}
}

// checkSecondLook says whether doubtful words of scans are looked at again.
func checkSecondLook(config app.Config) finding {
	const about = "second look"
	switch err := app.CheckSecondLook(config); {
	case config.OCRModels == "":
		return finding{note, about, "doubtful words of scans are not looked at again: no models are installed", "run tools/models, or name their folder with --ocr-models"}
	case err != nil:
		return finding{broken, about, err.Error(), "run tools/models, or leave --ocr-models out"}
	}
	return finding{fine, about, "doubtful words of scans are looked at again by the models in " + config.OCRModels, ""}
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func checkListen(ctx context.Context, about, address, flag string) finding {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		_ = listener.Close()
		return finding{fine, about, address + " is free", ""}
	}
	if isFieldlift(ctx, address) {
		return finding{fine, about, "Fieldlift answers at " + address + " already", ""}
	}
	return finding{broken, about, err.Error(), "choose another one with " + flag}
}

// isFieldlift asks whoever listens there whether it is one of us.
func isFieldlift(ctx context.Context, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("X-Request-Id"), fieldlift.RequestPrefix)
}
