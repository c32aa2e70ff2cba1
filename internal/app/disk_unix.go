//go:build unix

package app

import "syscall"

// FreeDisk tells how many bytes an ordinary user may still write there.
func FreeDisk(dir string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true //nolint:unconvert // signed on some systems
}
