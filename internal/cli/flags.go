package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// flags reads a command's flags, each with its environment twin, and reports
// all mistakes at once.
type flags struct {
	command command
	args    []string
	env     func(string) (string, bool)
	set     *flag.FlagSet
	from    string // where the value being read stands: a flag's or a variable's name
	faults  []string
}

// usageError is a mistake in how a command was called.
type usageError struct{ faults []string }

func (e *usageError) Error() string { return strings.Join(e.faults, "; ") }

func newFlags(c command, args []string, env func(string) (string, bool)) *flags {
	f := &flags{command: c, args: args, env: env, set: flag.NewFlagSet(c.name, flag.ContinueOnError)}
	f.set.SetOutput(io.Discard)
	f.set.Usage = func() {}
	return f
}

// value is a flag whose mistakes are collected instead of ending the reading.
type value struct {
	flags *flags
	name  string
	text  string
	read  func(string) error
}

func (v *value) String() string { return v.text }

func (v *value) Set(text string) error {
	if err := v.read(text); err != nil {
		v.flags.refuse("%s: %v", v.flags.from+"--"+v.name, err)
	}
	return nil
}

func (f *flags) refuse(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

// text defines a flag that takes any text.
func (f *flags) text(name, usual, usage string) *string {
	into := &usual
	f.custom(name, usual, usage, func(s string) error { *into = s; return nil })
	return into
}

// number defines a flag that takes a whole number.
func (f *flags) number(name string, usual int64, usage string) *int64 {
	into := &usual
	f.custom(name, strconv.FormatInt(usual, 10), usage, func(s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return fmt.Errorf("a whole number is needed, not %q", s)
		}
		*into = n
		return nil
	})
	return into
}

// boolean defines a flag that is on when it is there.
func (f *flags) boolean(name, usage string) *bool {
	into := new(bool)
	f.set.Var(&boolean{value{flags: f, name: name, read: func(s string) error {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("true or false is needed, not %q", s)
		}
		*into = on
		return nil
	}}}, name, usage)
	return into
}

// boolean is a value that need not follow its flag.
type boolean struct{ value }

// IsBoolFlag is how package flag asks for that.
func (*boolean) IsBoolFlag() bool { return true }

// duration defines a flag that takes a time span.
func (f *flags) duration(name string, usual time.Duration, usage string) *time.Duration {
	into := &usual
	f.custom(name, writeSpan(usual), usage, func(s string) error {
		d, err := parseDuration(s)
		if err != nil {
			return err
		}
		*into = d
		return nil
	})
	return into
}

// spans defines a flag that takes a list of time spans; "none" is an empty one.
func (f *flags) spans(name string, usual []time.Duration, usage string) *[]time.Duration {
	into := &usual
	f.custom(name, writeSpans(usual), usage, func(s string) error {
		var list []time.Duration
		for one := range strings.SplitSeq(s, ",") {
			if s == "none" {
				break
			}
			d, err := parseDuration(strings.TrimSpace(one))
			if err != nil {
				return err
			}
			list = append(list, d)
		}
		*into = list
		return nil
	})
	return into
}

// networks defines a flag that takes a list of networks.
func (f *flags) networks(name, usage string) *[]netip.Prefix {
	into := new([]netip.Prefix)
	f.custom(name, "", usage, func(s string) error {
		*into = nil
		for one := range strings.SplitSeq(s, ",") {
			network, err := netip.ParsePrefix(strings.TrimSpace(one))
			if err != nil {
				return fmt.Errorf("a network such as 10.1.0.0/16 is needed, not %q", one)
			}
			*into = append(*into, network.Masked())
		}
		return nil
	})
	return into
}

func writeSpans(spans []time.Duration) string {
	texts := make([]string, 0, len(spans))
	for _, d := range spans {
		texts = append(texts, writeSpan(d))
	}
	return strings.Join(texts, ",")
}

// writeSpan writes a span as people do: 30d, 5m.
func writeSpan(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

func (f *flags) custom(name, usual, usage string, read func(string) error) {
	f.set.Var(&value{flags: f, name: name, text: usual, read: read}, name, usage)
}

// parse reads the arguments, then the environment for what they left unset,
// and gives what is not a flag: as many arguments as were named, where a last
// name with "…" stands for one or more, and in brackets for any number. Its error asks for help; mistakes are
// collected, for err to tell them with those that the command finds itself.
func (f *flags) parse(named ...string) ([]string, error) {
	var positional []string
	for rest := f.args; len(rest) > 0; {
		err := f.set.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		left := f.set.Args()
		if err != nil {
			f.refuse("%s", strings.Replace(err.Error(), "provided but not defined: -", "unknown: --", 1))
			rest = left
			continue
		}
		if ended := len(rest) - len(left); ended > 0 && rest[ended-1] == "--" {
			positional = append(positional, left...)
			break
		}
		if len(left) == 0 {
			break
		}
		positional = append(positional, left[0])
		rest = left[1:]
	}
	f.readEnvironment()
	for i := len(positional); i < len(named) && !strings.HasPrefix(named[i], "["); i++ {
		f.refuse("%s is missing", named[i])
	}
	if len(named) > 0 && strings.Contains(named[len(named)-1], "…") {
		return positional, nil
	}
	for i := len(named); i < len(positional); i++ {
		f.refuse("%q is one argument too many", positional[i])
	}
	return positional, nil
}

func (f *flags) readEnvironment() {
	var given []string
	f.set.Visit(func(one *flag.Flag) { given = append(given, one.Name) })
	f.set.VisitAll(func(one *flag.Flag) {
		// A variable that is empty, as compose files leave it, sets nothing.
		if text, _ := f.env(twin(one.Name)); text != "" && !slices.Contains(given, one.Name) {
			f.from = twin(one.Name) + ", the twin of "
			_ = one.Value.Set(text) // never fails: mistakes are collected
			f.from = ""
		}
	})
}

// err gives the mistakes found so far as one error, or nil.
func (f *flags) err(more ...error) error {
	for _, e := range more {
		if e != nil {
			f.faults = append(f.faults, strings.Split(e.Error(), "\n")...)
		}
	}
	if len(f.faults) > 0 {
		return &usageError{f.faults}
	}
	return nil
}

func twin(name string) string {
	return "FIELDLIFT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func (f *flags) writeHelp(w io.Writer) {
	c := f.command
	_, _ = fmt.Fprintf(w, "%s\n\nUsage:\n\n  fieldlift %s\n", c.summary, strings.TrimSpace(c.name+" "+c.synopsis))
	if c.about != "" {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.about))
	}
	first := true
	f.set.VisitAll(func(one *flag.Flag) {
		if first {
			_, _ = fmt.Fprint(w, "\nFlags:\n\n")
			first = false
		}
		usual := ""
		if one.DefValue != "" {
			usual = " (default " + one.DefValue + ")"
		}
		_, _ = fmt.Fprintf(w, "  --%s  [%s]\n      %s%s\n", one.Name, twin(one.Name), one.Usage, usual)
	})
}

// parseDuration reads a time span such as 90s, 24h or 30d.
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("a time span such as 90s, 24h or 30d is needed, not %q", s)
	}
	return d, nil
}

// parseExpiry reads when something ends: a moment, a day, or a span from now.
// An empty text is never.
func parseExpiry(s string, now time.Time) (time.Time, error) {
	if s == "" || s == "never" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		at, err = time.Parse(time.DateOnly, s)
	}
	if err != nil {
		span, err := parseDuration(s)
		if err != nil {
			return time.Time{}, fmt.Errorf("a time such as 2027-01-31T12:00:00Z, a day such as 2027-01-31 or a span such as 90d is needed, not %q", s)
		}
		at = now.Add(span)
	}
	if !at.After(now) || at.UTC().Year() > 9999 {
		return time.Time{}, fmt.Errorf("%s is not in the future, or too far in it", s)
	}
	return at.UTC(), nil
}
