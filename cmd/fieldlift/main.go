// Command fieldlift extracts structured data from documents.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"fieldlift/internal/cli"
)

func main() {
	// After the first signal the second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Run(ctx, os.Args[1:], cli.Surroundings{
		Program: os.Args[0], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv,
	}))
}
