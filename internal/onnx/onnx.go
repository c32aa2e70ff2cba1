// Package onnx runs neural networks kept in ONNX's format: numbers in, numbers
// out. ONNX Runtime does it, in its own build for the web: a WebAssembly module
// that sees no file, no network and no memory but its own, so that neither a
// model nor what it is shown can do harm.
//
// It knows nothing of what networks are for, and trains none.
package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// RuntimeFile is what the module is called in the package onnxruntime-web.
const RuntimeFile = "ort-wasm-simd.wasm"

// The one build that can be run: others name their functions differently.
const (
	runtimeVersion = "1.17.3"
	runtimeSum     = "6783fcd6647ce1b426a527c31412a9c40894552faa609e9c931b3239a3438071"
)

// mostMemory bounds what a network may take, in WebAssembly's pages of 64 KiB.
const mostMemory = 512 << 20 / (64 << 10)

// Runtime is ONNX Runtime, compiled. It is safe for concurrent use.
type Runtime struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Open compiles ONNX Runtime, which takes seconds, or loads what was compiled
// before from the cache.
func Open(ctx context.Context, file, cacheDir string) (*Runtime, error) {
	code, err := os.ReadFile(file) //nolint:gosec // the operator's choice
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != runtimeSum {
		return nil, fmt.Errorf("%s is not that of onnxruntime-web %s", file, runtimeVersion)
	}
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, fmt.Errorf("opening the cache of compiled code: %w", err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(mostMemory))
	module, err := r.CompileModule(ctx, code)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compiling ONNX Runtime: %w", err), r.Close(ctx))
	}
	if err := provide(ctx, r, module); err != nil {
		return nil, errors.Join(fmt.Errorf("providing what ONNX Runtime calls: %w", err), r.Close(ctx))
	}
	return &Runtime{r, module}, nil
}

// Close ends all its sessions.
func (r *Runtime) Close(ctx context.Context) error { return r.runtime.Close(ctx) }

// Tensor is an array of numbers with its dimensions, the last counting fastest.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Session is one network with one input and one output, ready to run. It is not
// safe for concurrent use.
type Session struct {
	module  api.Module
	memory  api.Memory
	handle  uint64
	options uint64 // of each run
	input   uint64 // names, as the module keeps them
	output  uint64
}

// NewSession loads a network.
func (r *Runtime) NewSession(ctx context.Context, model []byte) (*Session, error) {
	module, err := r.runtime.InstantiateModule(ctx, r.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("starting ONNX Runtime: %w", err)
	}
	s := &Session{module: module, memory: module.Memory()}
	if err := s.load(ctx, model); err != nil {
		return nil, errors.Join(fmt.Errorf("loading a network: %w", err), s.Close(ctx))
	}
	return s, nil
}

// Close frees what the session holds.
func (s *Session) Close(ctx context.Context) error { return s.module.Close(ctx) }

// The settings of ONNX Runtime that are used, as it counts them.
const (
	oneThread       = 1
	everyOptimising = 99
	severityError   = 3
)

func (s *Session) load(ctx context.Context, model []byte) error {
	c := s.calls(ctx)
	c.do(fnConstructors)
	c.must(fnInit, oneThread, severityError)
	options := c.handle(fnCreateSessionOptions, everyOptimising, 1, 1, 0, 0, 0, 0, severityError, 0, 0)
	at := c.write(model)
	s.handle = c.handle(fnCreateSession, at, uint64(len(model)), options)
	c.do(fnFree, at)
	c.do(fnReleaseSessionOptions, options)
	s.options = c.handle(fnCreateRunOptions, severityError, 0, 0, 0)
	s.input = c.handle(fnInputName, s.handle, 0)
	s.output = c.handle(fnOutputName, s.handle, 0)
	return c.err
}
