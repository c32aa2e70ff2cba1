//go:build !unix

package app

// lockFolder knows no lock here that ends with the process.
func lockFolder(Config) (unlock func(), err error) { return func() {}, nil }
