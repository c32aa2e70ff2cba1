//go:build unix && !linux

package ocreval

import "syscall"

// processorTime is what this process and those of its children that have ended
// have used so far, in seconds.
func processorTime() float64 {
	total := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			total += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return total
}
