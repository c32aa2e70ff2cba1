//go:build unix

package cli

import "syscall"

// freeDisk tells how many bytes an ordinary user may still write there.
func freeDisk(dir string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true //nolint:unconvert // signed on some systems
}
