// Package cli is the command line: it reads flags and their environment
// twins, calls the service's parts and prints what they answer.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/reader"
)

// Surroundings are what a command has around it.
type Surroundings struct {
	Program        string // how this program was called
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(string) (string, bool)
}

// command is one word of the command line, or two.
type command struct {
	name     string // "serve", "key create"
	synopsis string // what follows the name
	summary  string // one line
	about    string // more, with examples
	run      func(ctx context.Context, c *call) error
}

// call is one run of a command.
type call struct {
	Surroundings
	*flags
}

// log tells the person at the terminal of what a command waits for.
func (c *call) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func commands() []command {
	return slices.Concat(
		[]command{serveCommand(), extractCommand(), evalCommand(), learnCommand()},
		accountCommands(),
		keyCommands(),
		creditsCommands(),
		webhookCommands(),
		modelCommands(),
		upkeepCommands(),
	)
}

// Exit codes.
const (
	success    = 0
	failure    = 1
	usageFault = 2
)

// Run runs the command that args name and gives the program's exit code.
func Run(ctx context.Context, args []string, s Surroundings) int {
	if len(args) == 0 || args[0] == "help" && len(args) == 1 || isHelp(args[0]) {
		writeOverview(s.Stdout)
		return success
	}
	if args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	if args[0] == "--version" || args[0] == "-version" {
		args = []string{"version"}
	}
	if args[0] == app.ReaderChild { // a process that reads a stranger's file, started by this program itself
		if err := reader.RunChild(s.Stdin, s.Stdout); err != nil {
			return failure
		}
		return success
	}
	chosen, rest, ok := find(args)
	if !ok {
		return unknown(args, s)
	}
	c := &call{Surroundings: s, flags: newFlags(chosen, rest, s.LookupEnv)}
	err := chosen.run(fieldlift.WithActor(ctx, fieldlift.Actor{Kind: fieldlift.Command}), c)
	switch {
	case err == nil:
		return success
	case errors.Is(err, flag.ErrHelp):
		c.writeHelp(s.Stdout)
		return success
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		for _, fault := range usage.faults {
			_, _ = fmt.Fprintln(s.Stderr, "fieldlift: "+fault)
		}
		_, _ = fmt.Fprintf(s.Stderr, "\"fieldlift %s --help\" tells more.\n", chosen.name)
		return usageFault
	}
	_, _ = fmt.Fprintln(s.Stderr, "fieldlift: "+explain(err))
	return failure
}

// explain gives the sentence of an error that was written for people, or all
// there is.
func explain(err error) string {
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok {
		return err.Error()
	}
	if told.Err != nil {
		return told.Message + " (" + told.Err.Error() + ")"
	}
	return told.Message
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// find takes the command's one or two words off the arguments.
func find(args []string) (command, []string, bool) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return c, args[len(words):], true
		}
	}
	return command{}, nil, false
}

// unknown answers a command that is not there, or a group without its verb.
func unknown(args []string, s Surroundings) int {
	var group []command
	for _, c := range commands() {
		if strings.HasPrefix(c.name, args[0]+" ") {
			group = append(group, c)
		}
	}
	if len(group) > 0 && (len(args) == 1 || isHelp(args[1])) {
		writeList(s.Stdout, group)
		return success
	}
	_, _ = fmt.Fprintf(s.Stderr, "fieldlift: there is no command %q; \"fieldlift help\" lists them.\n", strings.Join(args[:min(2, len(args))], " "))
	return usageFault
}

func writeOverview(w io.Writer) {
	_, _ = fmt.Fprintf(w, `Fieldlift %s: structured data from documents, on your own machine.

Usage:

  fieldlift COMMAND [flags]

Commands:

`, fieldlift.Version)
	writeList(w, commands())
	_, _ = fmt.Fprint(w, `
Every flag has an environment twin: --rate-limit is FIELDLIFT_RATE_LIMIT. A flag
wins over the environment. "fieldlift COMMAND --help" tells more.
`)
}

func writeList(w io.Writer, list []command) {
	widest := 0
	for _, c := range list {
		widest = max(widest, len(c.name))
	}
	for _, c := range list {
		_, _ = fmt.Fprintf(w, "  %-*s  %s\n", widest, c.name, c.summary)
	}
}
