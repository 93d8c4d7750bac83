package tuning

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

// Names of measurements that are no machines and no files.
const (
	Processes = "live" // those of processes that come along
	None      = "none"
)

// Variable of the environment names the measurements of processes, if nobody does so otherwise.
const Variable = "MUSUBI_TUNING"

// Choice is by which measurements the processes of a job choose. Ranks that chose by different ones would
// wait for each other, so one process decides, and all others are told.
type Choice struct {
	Name string // of a file, a machine, or None; "": nobody has named any, and those come along
	Text []byte // the table as a file has it; empty: there is none
}

// Decide returns the choice by measurements of some name. It fails if they cannot be read.
func Decide(name string) (c Choice, err error) {
	c = Choice{Name: name}
	switch name {
	case None:
		return c, nil
	case "":
		c.Text = shippedText(Processes)
		return c, nil
	}
	if c.Text = shippedText(name); c.Text != nil {
		return c, nil
	}
	if c.Text, err = os.ReadFile(name); err != nil {
		return c, err
	}
	_, err = Read(bytes.NewReader(c.Text), name)
	return c, err
}

// IsNamed reports whether somebody has named the measurements. Those are used freely, and may change the
// order in which elements are combined.
func (c *Choice) IsNamed() bool { return c.Name != "" }

// IsLike reports whether processes choose alike by both.
func (c *Choice) IsLike(other *Choice) bool {
	return bytes.Equal(c.Text, other.Text) && (len(c.Text) == 0 || c.IsNamed() == other.IsNamed())
}

// String says what a job chooses by.
func (c *Choice) String() string {
	switch {
	case c.IsNamed():
		return fmt.Sprintf("%q", c.Name)
	case len(c.Text) == 0:
		return "no measurements"
	}
	return "those that come along"
}

// For returns the choice of a job of some processes on a host with some processors: of what comes along only what
// tells of such a job, so that its processes do not have to read the rest. Together says that all run on
// that host.
func (c Choice) For(processors, processes int, together bool) Choice {
	if c.IsNamed() || len(c.Text) == 0 {
		return c
	}
	on := &Table{}
	if together {
		on = c.read().On(processors, processes)
	}
	if c.Text = nil; len(on.operations) > 0 {
		var b bytes.Buffer
		_ = on.Write(&b) // never fails
		c.Text = b.Bytes()
	}
	return c
}

// read reads the table.
func (c *Choice) read() *Table {
	t, err := Read(bytes.NewReader(c.Text), c.String())
	if err != nil {
		panic(err) // who has decided has read it
	}
	return t
}

// Fastest returns how a process of the job that the choice is for chooses: freely by measurements that somebody has named,
// else only between what they have; nil if there are none. The table is read when it is first asked, as
// many programs never do.
func (c *Choice) Fastest() func(operation string, ranks, bytes int) []string {
	if len(c.Text) == 0 {
		return nil
	}
	read := sync.OnceValue(c.read)
	return func(operation string, ranks, bytes int) []string {
		if c.IsNamed() {
			return read().Fastest(operation, ranks, bytes)
		}
		return read().FastestBetween(operation, ranks, bytes)
	}
}
