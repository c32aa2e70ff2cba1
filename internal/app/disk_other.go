//go:build !unix

package app

// FreeDisk is not known here.
func FreeDisk(string) (bytes uint64, known bool) { return 0, false }
