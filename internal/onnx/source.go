package onnx

import "embed"

//go:embed *.go
var source embed.FS

// Source is this package's own code, for those who keep what it made and must
// know when it may come out differently.
func Source() embed.FS { return source }
