//go:build !unix

package cli

// freeDisk is not known here.
func freeDisk(string) (bytes uint64, known bool) { return 0, false }
