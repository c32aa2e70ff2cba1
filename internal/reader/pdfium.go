package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // holds pdfium.wasm
	"github.com/klippa-app/go-pdfium/webassembly/imports"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// pdfiumWasm is PDFium as go-pdfium embeds it. That module's own interface
// costs several times what the calls themselves do, and it does not export the
// bytes. Should an upgrade move the variable, this one is empty;
// TestPDFiumIsWhereWeExpectIt watches over it.
//
//go:linkname pdfiumWasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumWasm []byte

// wasmPage is the unit of WebAssembly's memory.
const wasmPage = 64 << 10

// pdfium is PDFium, compiled and ready to be instantiated for a document.
type pdfium struct {
	ctx     context.Context // of the allocator; it is never done
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// newPDFium compiles PDFium, or loads what was compiled before from the cache.
func newPDFium(cacheDir string, maxMemory int64) (*pdfium, error) {
	if len(pdfiumWasm) == 0 {
		return nil, errors.New("go-pdfium no longer keeps its module in webassembly.pdfiumWasm")
	}
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, fmt.Errorf("opening the cache of compiled code: %w", err)
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(allocate))
	// Three quarters of the process's memory: a document that wants more then
	// gets a clean refusal from PDFium's own allocator.
	limit := min(maxMemory/4*3/wasmPage, math.MaxUint16)
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCompilationCache(cache).
		WithMemoryLimitPages(uint32(limit)))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, fmt.Errorf("providing WASI: %w", err)
	}
	module, err := runtime.CompileModule(ctx, pdfiumWasm)
	if err != nil {
		return nil, fmt.Errorf("compiling PDFium: %w", err)
	}
	if _, err := imports.Instantiate(ctx, runtime, module); err != nil {
		return nil, fmt.Errorf("providing PDFium's callbacks: %w", err)
	}
	return &pdfium{ctx, runtime, module}, nil
}

// instance is one PDFium, for one document. A call that fails spoils it: all
// later ones do nothing and give 0, and err says why, so that callers look at
// it once for many calls.
type instance struct {
	ctx       context.Context
	module    api.Module
	memory    api.Memory
	functions map[string]api.Function
	stack     [10]uint64
	scratch   uint32 // 64 bytes for what calls give back through pointers
	buffer    uint32 // for texts; 0 until it is needed
	err       error
}

func (p *pdfium) instantiate() (*instance, error) {
	// No files, no arguments, no environment, no output: PDFium gets bytes and
	// gives numbers.
	module, err := p.runtime.InstantiateModule(p.ctx, p.module, wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions("_initialize").
		WithFSConfig(wazero.NewFSConfig()))
	if err != nil {
		return nil, fmt.Errorf("starting PDFium: %w", err)
	}
	i := &instance{ctx: p.ctx, module: module, memory: module.Memory(), functions: map[string]api.Function{}}
	i.call("FPDF_InitLibrary")
	i.scratch = i.allocate(64)
	if i.err != nil {
		i.close()
		return nil, i.err
	}
	return i, nil
}

func (i *instance) close() {
	_ = i.module.Close(i.ctx) // only frees memory
}

// function gives a handle for calls in loops, where looking it up would count.
func (i *instance) function(name string) api.Function {
	f := i.functions[name]
	if f == nil {
		f = i.module.ExportedFunction(name)
		if f == nil && i.err == nil {
			i.err = fmt.Errorf("PDFium has no function %s", name)
		}
		i.functions[name] = f
	}
	return f
}

func (i *instance) call(name string, arguments ...uint64) uint64 {
	return i.do(i.function(name), arguments...)
}

func (i *instance) do(f api.Function, arguments ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	copy(i.stack[:], arguments)
	if err := f.CallWithStack(i.ctx, i.stack[:]); err != nil {
		i.err = fmt.Errorf("%s: %w", f.Definition().ExportNames()[0], err)
		return 0
	}
	return i.stack[0]
}

// number is call for functions that give a C int.
func (i *instance) number(name string, arguments ...uint64) int {
	return int(int32(i.call(name, arguments...)))
}

func (i *instance) allocate(size uint64) uint32 {
	at := uint32(i.call("malloc", size))
	if at == 0 && i.err == nil {
		i.err = errMemory
	}
	return at
}

// at gives a view of memory, nil once the instance is spoilt.
func (i *instance) at(offset, length uint32) []byte {
	if i.err != nil {
		return nil
	}
	view, ok := i.memory.Read(offset, length)
	if !ok {
		i.err = fmt.Errorf("PDFium points outside its memory, at %d", offset)
	}
	return view
}

// out is a pointer to the n-th 8 bytes of the scratch memory.
func (i *instance) out(n uint32) uint64 { return uint64(i.scratch + 8*n) }

func (i *instance) float32(n uint32) float64 {
	v, _ := i.memory.ReadFloat32Le(i.scratch + 4*n)
	return float64(v)
}

func (i *instance) float64(n uint32) float64 {
	v, _ := i.memory.ReadFloat64Le(i.scratch + 8*n)
	return v
}

// load copies a file into PDFium's memory.
func (i *instance) load(f *os.File) (at uint32, size uint64) {
	stat, err := f.Stat()
	if err != nil {
		i.err = err
		return 0, 0
	}
	size = uint64(stat.Size())
	if size > math.MaxInt32 {
		i.err = errMemory
		return 0, 0
	}
	at = i.allocate(max(size, 1))
	if view := i.at(at, uint32(size)); i.err == nil {
		if _, err := f.ReadAt(view, 0); err != nil {
			i.err = fmt.Errorf("reading the file: %w", err)
		}
	}
	return at, size
}
