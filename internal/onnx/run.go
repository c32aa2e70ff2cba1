package onnx

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

const (
	ofFloats    = 1 // a tensor's kind
	inTheMemory = 1 // where its numbers lie
	mostNumbers = 64 << 20 / 4
	mostShape   = 8
)

// Run runs the network. What comes back is the caller's.
func (s *Session) Run(ctx context.Context, in Tensor) (Tensor, error) {
	size := 1
	for _, n := range in.Shape {
		size *= n
	}
	if size != len(in.Data) || size == 0 || size > mostNumbers {
		return Tensor{}, fmt.Errorf("%d numbers do not make a tensor of %v", len(in.Data), in.Shape)
	}
	c := s.calls(ctx)
	data, shape := c.write(floats(in.Data)), c.write(words(in.Shape...))
	given := c.handle(fnCreateTensor, ofFloats, data, uint64(4*len(in.Data)), shape, uint64(len(in.Shape)), inTheMemory)
	// The names of input and output, the tensors that belong to them.
	lists := c.write(words(int(s.input), int(given), int(s.output), 0)) //nolint:gosec // addresses of 32 bits
	c.must(fnRun, s.handle, lists, lists+4, 1, lists+8, 1, lists+12, s.options)
	taken := uint64(c.word(lists + 12))
	out := c.tensor(taken)
	if taken != 0 {
		c.do(fnReleaseTensor, taken)
	}
	if given != 0 {
		c.do(fnReleaseTensor, given)
	}
	for _, at := range []uint64{data, shape, lists} {
		c.do(fnFree, at)
	}
	return out, c.err
}

// calls is a row of calls into the module. After one that failed the others do
// nothing and give 0, so that err is looked at once.
type calls struct {
	*Session
	ctx context.Context
	err error
}

func (s *Session) calls(ctx context.Context) *calls { return &calls{Session: s, ctx: ctx} }

// do calls a function and gives what it gives.
func (c *calls) do(name string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	results, err := c.module.ExportedFunction(name).Call(c.ctx, args...)
	if err != nil {
		c.err = err
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// must calls a function that gives 0 when all is well.
func (c *calls) must(name string, args ...uint64) {
	if code := c.do(name, args...); code != 0 {
		c.err = errors.New(c.complaint())
	}
}

// handle calls a function that gives 0 when something is wrong.
func (c *calls) handle(name string, args ...uint64) uint64 {
	handle := c.do(name, args...)
	if handle == 0 && c.err == nil {
		c.err = errors.New(c.complaint())
	}
	return handle
}

// mostComplaint is how much is shown of what ONNX Runtime says is wrong.
const mostComplaint = 400

func (c *calls) complaint() string {
	at := c.do(fnAllocate, 8)
	c.do(fnLastError, at, at+4)
	text := uint64(c.word(at + 4))
	if text == 0 {
		return "ONNX Runtime gives no reason"
	}
	var said strings.Builder
	for i := range uint64(mostComplaint) {
		b, ok := c.memory.ReadByte(uint32(text + i)) //nolint:gosec // an address of 32 bits
		if !ok || b == 0 {
			break
		}
		said.WriteByte(b)
	}
	return said.String()
}

// write puts bytes into the module's memory and gives their address.
func (c *calls) write(b []byte) uint64 {
	at := c.handle(fnAllocate, uint64(len(b)))
	if c.err == nil && !c.memory.Write(uint32(at), b) { //nolint:gosec // an address of 32 bits
		c.err = errors.New("the module's memory ends too soon")
	}
	return at
}

func (c *calls) read(at uint64, n int) []byte {
	if c.err != nil {
		return nil
	}
	b, ok := c.memory.Read(uint32(at), uint32(n)) //nolint:gosec // an address of 32 bits and a size that was checked
	if !ok {
		c.err = errors.New("the module's memory ends too soon")
	}
	return b
}

func (c *calls) word(at uint64) uint32 {
	b := c.read(at, 4)
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// tensor copies what a run brought.
func (c *calls) tensor(handle uint64) (t Tensor) {
	at := c.handle(fnAllocate, 16)
	c.must(fnTensorData, handle, at, at+4, at+8, at+12)
	kind, data, shape, dimensions := c.word(at), c.word(at+4), c.word(at+8), c.word(at+12)
	c.do(fnFree, at)
	if c.err == nil && (kind != ofFloats || dimensions > mostShape) {
		c.err = fmt.Errorf("the network gives a tensor of kind %d with %d dimensions", kind, dimensions)
	}
	size := 1
	for i := range dimensions {
		if c.err != nil {
			return Tensor{}
		}
		n := int(c.word(uint64(shape + 4*i)))
		t.Shape = append(t.Shape, n)
		if size *= n; size > mostNumbers {
			c.err = errors.New("the network gives more numbers than can be meant")
		}
	}
	raw := c.read(uint64(data), 4*size)
	if c.err != nil {
		return Tensor{}
	}
	t.Data = make([]float32, size)
	for i := range t.Data {
		t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	c.do(fnFreeOwn, uint64(shape))
	return t
}

func floats(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func words(values ...int) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v)) //nolint:gosec // sizes and addresses of 32 bits
	}
	return b
}
