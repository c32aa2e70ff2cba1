package fieldlift_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors is the house: imports go down only, and packages on one floor never
// import each other. docs/ARCHITECTURE.md shows the same with its reasons.
var floors = map[string]int{
	"fieldlift":     0,
	"fieldlift/api": 0,

	"fieldlift/internal/einvoice": 0,

	"fieldlift/internal/blob":      1,
	"fieldlift/internal/example":   1,
	"fieldlift/internal/onnx":      1,
	"fieldlift/internal/outbound":  1,
	"fieldlift/internal/page":      1,
	"fieldlift/internal/scan":      1,
	"fieldlift/internal/password":  1,
	"fieldlift/internal/ratelimit": 1,
	"fieldlift/internal/schema":    1,
	"fieldlift/internal/score":     1,
	"fieldlift/internal/seal":      1,
	"fieldlift/internal/telemetry": 1,
	"fieldlift/internal/value":     1,
	"fieldlift/internal/work":      1,

	"fieldlift/internal/engine": 2,
	"fieldlift/internal/golden": 2,
	"fieldlift/internal/ocr":    2,
	"fieldlift/internal/reader": 2,

	"fieldlift/internal/engine/layout": 3,
	"fieldlift/internal/engine/llm":    3,
	"fieldlift/internal/transcribe":    3,

	"fieldlift/internal/detect":    4,
	"fieldlift/internal/deliver":   4,
	"fieldlift/internal/export":    4,
	"fieldlift/internal/intake":    4,
	"fieldlift/internal/keeper":    4,
	"fieldlift/internal/ocreval":   4,
	"fieldlift/internal/pageimage": 4,
	"fieldlift/internal/process":   4,
	"fieldlift/internal/store":     4,

	"fieldlift/internal/dashboard": 5,
	"fieldlift/internal/httpapi":   5,
	"fieldlift/internal/app":       6,
	"fieldlift/internal/cli":       7,
	"fieldlift/cmd/fieldlift":      8,

	"fieldlift/internal/apptest": testsOnly,
}

// testsOnly is above all floors: no package imports it, only tests do.
const testsOnly = 9

type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func TestArchitecture(t *testing.T) {
	for _, p := range listPackages(t) {
		floor, known := floors[p.ImportPath]
		if !known {
			t.Errorf("%s stands on no floor: add it to the table and to docs/ARCHITECTURE.md", p.ImportPath)
			continue
		}
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if below, ours := floors[imported]; ours && below >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d)", p.ImportPath, floor, imported, below)
			}
		}
		checkImports(t, p)
		last := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		if slices.Contains([]string{"util", "utils", "common", "helpers", "models", "services", "manager"}, last) {
			t.Errorf("%s: the name says nothing about what it holds", p.ImportPath)
		}
	}
}

// checkImports holds the rules that floors alone do not tell.
func checkImports(t *testing.T, p goPackage) {
	t.Helper()
	only := map[string][]string{ // an import, and who alone may have it
		"fieldlift/internal/store":   {"fieldlift/internal/app"},
		"github.com/jackc/pgx/v5":    {"fieldlift/internal/store", "fieldlift/internal/work", "fieldlift/internal/apptest"},
		"modernc.org/sqlite":         {"fieldlift/internal/store"},
		"database/sql":               {"fieldlift/internal/store", "fieldlift/internal/work"},
		"github.com/riverqueue":      {"fieldlift/internal/work"},
		"github.com/pressly/goose":   {"fieldlift/internal/store"},
		"github.com/getkin":          {"fieldlift/internal/apptest"},
		"github.com/aws":             {"fieldlift/internal/blob"},
		"github.com/xuri/excelize":   {"fieldlift/internal/export"},
		"fieldlift/internal/apptest": {},

		// What parses strangers' files runs in the reader's children only.
		"github.com/klippa-app":   {"fieldlift/internal/reader"},
		"github.com/gen2brain":    {"fieldlift/internal/reader"},
		"github.com/hhrutter":     {"fieldlift/internal/reader"},
		"golang.org/x/image/bmp":  {"fieldlift/internal/reader"},
		"golang.org/x/image/tiff": {"fieldlift/internal/reader"},
		"golang.org/x/image/webp": {"fieldlift/internal/reader"},
		// Sandboxes: of files there, of networks here.
		"github.com/tetratelabs": {"fieldlift/internal/reader", "fieldlift/internal/onnx"},
	}
	for _, imported := range p.Imports {
		if p.ImportPath == "fieldlift" && strings.Contains(strings.Split(imported, "/")[0], ".") {
			t.Errorf("the root package imports %s; it has the standard library only", imported)
		}
		for prefix, allowed := range only {
			if (imported == prefix || strings.HasPrefix(imported, prefix+"/")) && !slices.Contains(allowed, p.ImportPath) {
				t.Errorf("%s imports %s; only %v may", p.ImportPath, imported, allowed)
			}
		}
	}
}

func TestEveryFloorIsLivedOn(t *testing.T) {
	var found []string
	for _, p := range listPackages(t) {
		found = append(found, p.ImportPath)
	}
	for path := range floors {
		if !slices.Contains(found, path) {
			t.Errorf("%s is in the table but not in the module", path)
		}
	}
}

// The HEIC decoder can use the system's libheif, and then the program is no
// longer static; the tag that prevents it must go on doing so.
func TestTheTagNodynamicKeepsTheProgramStatic(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "list", "-tags", "nodynamic", "-deps", "./...")
	command.Env = append(command.Environ(), "CGO_ENABLED=0")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dependency := range strings.Lines(string(out)) {
		if strings.HasPrefix(dependency, "github.com/ebitengine/purego") {
			t.Errorf("%s links dynamically", strings.TrimSpace(dependency))
		}
	}
	for _, file := range []string{"Makefile", "Dockerfile"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "nodynamic") {
			t.Errorf("%s does not build with the tag nodynamic: %v", file, err)
		}
	}
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
