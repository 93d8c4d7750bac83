package tune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/report/files"
	"musubi/report/ordered"
	"musubi/tuning"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ownName is how the commands at the head of a file begin.
const ownName = "musubi tune"

// renewed is what became of a file, for --json.
type renewed struct {
	File    string  `json:"file"`
	Times   int     `json:"times"`   // in the new file
	Changed int     `json:"changed"` // of those that the file had before
	New     int     `json:"new"`     // that it had not
	Gone    int     `json:"gone"`    // that no command measures
	Most    float64 `json:"most"`    // the largest change, as times as long or as short; 1: nothing has changed

	where tuning.Point // of that change, as it is now
}

// renew measures again what a file holds, and writes it anew.
func (f *flags) renew(cmd *cobra.Command, shared cli.Shared) error {
	if other := beside(cmd, "renew"); other != "" {
		return fmt.Errorf("--renew %s and --%s; expected none of tune's flags beside --renew, as they are those of the file", f.Renew, other)
	}
	was, commands, err := readCommands(f.Renew)
	if err == nil {
		err = files.Check(f.Renew)
	}
	if err != nil {
		return err
	}
	m := &measurements{}
	for _, c := range commands {
		if err := c.addTo(cmd.Context(), m, shared); err != nil {
			return fmt.Errorf("%s: %w", f.Renew, err)
		}
	}
	now, err := inDigitsOfAFile(m.all.Choices())
	if err != nil {
		return err
	}
	var lines []string
	for _, c := range commands {
		lines = append(lines, c.line)
	}
	if err := files.Write(f.Renew, func(w io.Writer) error { return now.Write(w, lines...) }); err != nil {
		return err
	}
	r := compareTables(f.Renew, was, now)
	if shared.JSON {
		return ordered.WriteJSON(shared.Stdout, r)
	}
	_, err = fmt.Fprintln(shared.Stdout, r)
	return err
}

// beside returns a flag of the subcommand that is given beside one; "" if there is none.
func beside(cmd *cobra.Command, one string) (other string) {
	shared := cmd.InheritedFlags()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name != one && shared.Lookup(flag.Name) == nil {
			other = flag.Name
		}
	})
	return other
}

// command is a command at the head of a file.
type command struct {
	line  string
	flags flags
	plan  plan
}

// readCommands reads a table, and the commands at its head.
func readCommands(file string) (*tuning.Table, []command, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	table, err := tuning.Read(bytes.NewReader(text), file)
	if err != nil {
		return nil, nil, err
	}
	lines, err := tuning.Commands(bytes.NewReader(text), ownName)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	var commands []command
	for _, line := range lines {
		c := command{line: line, flags: usual()}
		if err := c.read(); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", file, line, err)
		}
		commands = append(commands, c)
	}
	switch {
	case len(commands) == 0:
		return nil, nil, fmt.Errorf("%s has no line that begins with \"# %s\"; expected those that measured it", file, ownName)
	case isOfOtherHost(table, commands):
		return nil, nil, fmt.Errorf("%s is of a host with %d processors, and this one has %d; expected a host with as many: measure what is of this one to a file of its own", file, table.Processors, runtime.NumCPU())
	}
	return table, commands, nil
}

// read sets the flags of the line.
func (c *command) read() (err error) {
	set := &cobra.Command{}
	cli.DefineOptions(set, option.Of(&c.flags))
	if err := set.ParseFlags(strings.Fields(strings.TrimPrefix(c.line, ownName))); err != nil {
		return err
	}
	c.plan, err = c.flags.plan()
	return err
}

// isOfOtherHost reports whether processes were measured on a host with another number of processors.
func isOfOtherHost(table *tuning.Table, commands []command) bool {
	for i := range commands {
		if commands[i].flags.On == musubi.Live && table.Processors != 0 && table.Processors != runtime.NumCPU() {
			return true
		}
	}
	return false
}

// addTo measures what the command does.
func (c *command) addTo(ctx context.Context, m *measurements, shared cli.Shared) error {
	shared.Note("%s", c.line)
	_, _, err := c.flags.measureAll(ctx, m, &c.plan, shared)
	return err
}

// inDigitsOfAFile returns a table as it is after it has been written and read.
func inDigitsOfAFile(t *tuning.Table) (*tuning.Table, error) {
	var text bytes.Buffer
	if err := t.Write(&text); err != nil {
		return nil, err
	}
	return tuning.Read(&text, "what was measured")
}

// compareTables tells what differs between a file and what it was.
func compareTables(file string, was, now *tuning.Table) renewed {
	r := renewed{File: file, Most: 1}
	type spot struct {
		operation, algorithm string
		ranks, bytes         int
	}
	before := map[spot]float64{}
	for _, p := range was.Points() {
		before[spot{p.Operation, p.Algorithm, p.Ranks, p.Bytes}] = p.Time
	}
	for _, p := range now.Points() {
		r.Times++
		at := spot{p.Operation, p.Algorithm, p.Ranks, p.Bytes}
		old, known := before[at]
		delete(before, at)
		switch {
		case !known:
			r.New++
		case old != p.Time:
			r.Changed++
			if times := max(p.Time/old, old/p.Time); times > r.Most && !math.IsInf(times, 1) {
				r.Most, r.where = times, p
			}
		}
	}
	r.Gone = len(before)
	return r
}

func (r renewed) String() string {
	s := fmt.Sprintf("%s: %d of %d times have changed", r.File, r.Changed, r.Times-r.New)
	if r.Most > 1 {
		s += fmt.Sprintf(", at most by a factor of %.2f: %s of %d ranks by %s, %d bytes, takes %.4g us", r.Most, r.where.Operation, r.where.Ranks, r.where.Algorithm, r.where.Bytes, r.where.Time)
	}
	return s + fmt.Sprintf("; %d are new, and %d are no longer measured", r.New, r.Gone)
}
