//go:build unix

package reader

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// region is memory for WebAssembly straight from the system: it grows in place,
// where Go's would be copied over and over, and it is gone at once when freed.
type region struct{ bytes []byte }

// allocate reserves addresses up to the most that will be asked for; the system
// provides memory for those that are touched.
func allocate(_, most uint64) experimental.LinearMemory {
	bytes, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		bytes = nil // Reallocate will say so in the way that wazero understands
	}
	return &region{bytes}
}

// Reallocate gives the first size bytes.
func (r *region) Reallocate(size uint64) []byte {
	if size > uint64(len(r.bytes)) {
		return nil
	}
	return r.bytes[:size:len(r.bytes)]
}

// Free returns the memory to the system.
func (r *region) Free() {
	if r.bytes != nil {
		_ = syscall.Munmap(r.bytes) // fails only for what was never mapped
		r.bytes = nil
	}
}
