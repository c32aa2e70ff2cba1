package onnx

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// errThrown is an exception that nobody caught in the module: what it had to do
// failed, and it must not be used again.
var errThrown = errors.New("ONNX Runtime gave up")

// The answers to those who look for files, in the numbers of WASI and Linux.
const (
	notSupported = 52
	notSeekable  = 70
)

// provide gives the module all that it calls.
func provide(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	builder := r.NewHostModuleBuilder(hostModule)
	for _, f := range module.ImportedFunctions() {
		_, name, _ := f.Import()
		builder = builder.NewFunctionBuilder().WithGoModuleFunction(host(name, len(f.ResultTypes()) > 0), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func host(name string, answers bool) api.GoModuleFunc {
	switch name {
	case hostThrow, hostAbort:
		return func(context.Context, api.Module, []uint64) { panic(errThrown) }
	case hostMonotonic, hostScript: // yes; and no script is there to read weights from
		return always(1)
	case hostMap:
		return always(api.EncodeI32(-notSupported))
	case hostClose, hostRead:
		return always(notSupported)
	case hostSeek:
		return always(notSeekable)
	case hostMostMemory:
		return always(mostMemory * 64 << 10)
	case hostNow, hostTime:
		return func(_ context.Context, _ api.Module, stack []uint64) {
			stack[0] = api.EncodeF64(float64(time.Now().UnixMicro()) / 1000)
		}
	case hostCopy:
		return copyWithin
	case hostGrow:
		return grow
	case hostEnvironment:
		return noEnvironment
	case hostWrite:
		return swallow
	}
	if answers {
		return always(0)
	}
	return func(context.Context, api.Module, []uint64) {}
}

func always(answer uint64) api.GoModuleFunc {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = answer }
}

func copyWithin(_ context.Context, module api.Module, stack []uint64) {
	to, from, n := api.DecodeU32(stack[0]), api.DecodeU32(stack[1]), api.DecodeU32(stack[2])
	b, ok := module.Memory().Read(from, n)
	if !ok || !module.Memory().Write(to, b) {
		panic(errThrown)
	}
}

// grow makes the memory at least so large, and a fifth larger than it was, so
// that it is not asked at every turn.
func grow(_ context.Context, module api.Module, stack []uint64) {
	const page = 64 << 10
	wanted, now := stack[0], uint64(module.Memory().Size())
	enough := max(wanted, min(now+now/5, mostMemory*page))
	stack[0] = 0
	if wanted <= mostMemory*page {
		if _, ok := module.Memory().Grow(uint32((enough - now + page - 1) / page)); ok { //nolint:gosec // bounded above
			stack[0] = 1
		}
	}
}

func noEnvironment(_ context.Context, module api.Module, stack []uint64) {
	for _, at := range stack[:2] {
		module.Memory().WriteUint32Le(api.DecodeU32(at), 0)
	}
	stack[0] = 0
}

// swallow takes what the module would print, and drops it: errors are asked for.
func swallow(_ context.Context, module api.Module, stack []uint64) {
	pieces, n, written := api.DecodeU32(stack[1]), api.DecodeU32(stack[2]), uint32(0)
	for i := range min(n, 1024) {
		length, _ := module.Memory().ReadUint32Le(pieces + 8*i + 4)
		written += length
	}
	module.Memory().WriteUint32Le(api.DecodeU32(stack[3]), written)
	stack[0] = 0
}
