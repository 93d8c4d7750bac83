package files

import (
	"math"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/reduction"
)

// place says where an access begins.
type place int

const (
	explicit   place = iota // as the call says
	individual              // at the pointer of the rank
	shared                  // at that of all
	ordered                 // likewise, one rank behind the other
)

// access is a way to read or to write.
type access struct {
	writes bool
	from   place
	all    bool // collective
}

func init() {
	for _, a := range []struct {
		suffix string
		access
	}{
		{"", access{from: individual}},
		{"_all", access{from: individual, all: true}},
		{"_at", access{from: explicit}},
		{"_at_all", access{from: explicit, all: true}},
		{"_shared", access{from: shared}},
		{"_ordered", access{from: ordered, all: true}},
	} {
		for verb, writes := range map[string]bool{"read": false, "write": true} {
			a := a
			a.writes = writes
			name := "MPI_File_" + verb + a.suffix
			abi.Add(map[string]func(c *abi.Call) error{name: a.now})
			if a.from != ordered {
				abi.Add(map[string]func(c *abi.Call) error{"MPI_File_i" + verb + a.suffix: a.asRequest})
			}
			if a.all {
				abi.Add(map[string]func(c *abi.Call) error{
					name + "_begin": func(c *abi.Call) error { return a.begin(c, name) },
					name + "_end":   onFile(func(c *abi.Call, f *abi.File) error { return endSplit(c, f, name) }),
				})
			}
		}
	}
}

// buffer returns which word has the address of the data.
func (a *access) buffer() int {
	if a.from == explicit {
		return 2
	}
	return 1
}

// now is a blocking access.
func (a *access) now(c *abi.Call) error {
	f, err := c.File(0)
	if err != nil {
		return err
	}
	if a.all {
		if err := noSplit(f); err != nil {
			return err
		}
	}
	s, err := a.carryOut(c, f)
	c.PutStatus(c.Words[a.buffer()+3], &s)
	return err
}

// asRequest is a nonblocking access. It is complete at once: what the operating system takes in or has ready is, and for the rest
// nobody else could work on the processor.
func (a *access) asRequest(c *abi.Call) error {
	f, err := c.File(0)
	if err != nil {
		return err
	}
	r := c.NewRequest(nil)
	if r.Status, err = a.carryOut(c, f); err != nil {
		return err
	}
	r.Done = true
	c.PutWord(c.Words[a.buffer()+3], c.Requests.Add(r))
	return nil
}

// begin carries out the access between a begin and an end.
func (a *access) begin(c *abi.Call, name string) error {
	f, err := c.File(0)
	if err != nil {
		return err
	}
	if err := noSplit(f); err != nil {
		return err
	}
	s, err := a.carryOut(c, f)
	if err == nil {
		f.Split = &abi.SplitAccess{Name: name, Status: s}
	}
	return err
}

func endSplit(c *abi.Call, f *abi.File, name string) error {
	if f.Split == nil || f.Split.Name != name {
		return abi.Wrong(standard.ErrIo, "no access to %s that %s_begin has begun", f.Name, name)
	}
	c.PutStatus(c.Words[2], &f.Split.Status)
	f.Split = nil
	return nil
}

// noSplit fails between the begin and the end of an access.
func noSplit(f *abi.File) error {
	if f.Split != nil {
		return abi.Wrong(standard.ErrIo, "%s has an access that %s_begin has begun; expected %s_end before", f.Name, f.Split.Name, f.Split.Name)
	}
	return nil
}

// offset returns an offset of the program in bytes of data.
func offset(f *abi.File, etypes int) (int, error) {
	if most := math.MaxInt / max(f.View.Unit, 1); etypes < 0 || etypes > most {
		return 0, abi.Wrong(standard.ErrArg, "offset %d in %s; expected 0 to %d", etypes, f.Name, most)
	}
	return etypes * f.View.Unit, nil
}

// arguments are those of an access.
type arguments struct {
	at    int64 // of the data in the program
	count int
	of    *abi.Datatype
	from  int // an explicit offset, in bytes of data
	bytes int // of the data in the file
}

// read reads the arguments of an access, and checks them.
func (a *access) read(c *abi.Call, f *abi.File) (g arguments, err error) {
	i := a.buffer()
	g.at = c.Words[i]
	if g.count, g.of, err = c.Counted(i + 1); err != nil {
		return g, err
	}
	if a.from == explicit {
		if g.from, err = offset(f, c.At(1)); err != nil {
			return g, err
		}
	}
	if a.from == explicit || a.from == individual {
		if err := notSequential(f); err != nil {
			return g, err
		}
	}
	switch {
	case a.writes && f.Mode&standard.ModeRdonly != 0:
		return g, abi.Wrong(standard.ErrReadOnly, "%s has been opened with MPI_MODE_RDONLY; expected one that can be written to", f.Name)
	case !a.writes && f.Mode&standard.ModeWronly != 0:
		return g, abi.Wrong(standard.ErrAccess, "%s has been opened with MPI_MODE_WRONLY; expected one that can be read", f.Name)
	}
	bytes := g.count * inFile(&f.View, g.of)
	switch {
	case bytes > 0 && (f.View.Unit == 0 || f.View.Bytes.IsEmpty()):
		return g, abi.Wrong(standard.ErrIo, "%d bytes of %s, whose view shows none", bytes, f.Name)
	case bytes > 0 && bytes%f.View.Unit != 0:
		return g, abi.Wrong(standard.ErrIo, "%d bytes of %s; expected a multiple of the %d of an etype of its view", bytes, f.Name, f.View.Unit)
	}
	g.bytes = bytes
	return g, nil
}

// begins returns where an access begins, and moves the pointer. Who has a mistake in an ordered access takes part with nothing.
func (a *access) begins(c *abi.Call, f *abi.File, g *arguments) (int, error) {
	switch a.from {
	case individual:
		return f.At, nil
	case shared:
		return changeShared(c, f, g.bytes, reduction.SumID)
	case ordered:
		return inOrder(c, f, g.bytes)
	}
	return g.from, nil
}

// carryOut reads or writes, and returns the status.
func (a *access) carryOut(c *abi.Call, f *abi.File) (core.Status, error) {
	s := abi.EmptyStatus
	g, wrong := a.read(c, f)
	if wrong != nil && a.from != ordered {
		return s, wrong
	}
	from, err := a.begins(c, f, &g)
	if wrong != nil {
		err = wrong
	}
	if err != nil || g.bytes == 0 {
		return s, err
	}
	done := 0
	if a.writes {
		done, err = write(f, from, outgoing(c, f, &g))
	} else {
		done, err = readInto(c, f, from, &g)
	}
	if a.from == individual {
		f.At += (done + f.View.Unit - 1) / f.View.Unit * f.View.Unit
	}
	if s.Bytes = done; f.View.External {
		s.Bytes = g.of.FromExternalSize(done)
	}
	return s, failed(err)
}

// outgoing returns the data of the program as the file has it.
func outgoing(c *abi.Call, f *abi.File, g *arguments) []byte {
	data := c.Outgoing(g.at, g.count, g.of)
	if f.View.External {
		return g.of.ToExternal(data)
	}
	return data
}

// readInto reads data to where the program wants it, and returns how many bytes of the file that were.
func readInto(c *abi.Call, f *abi.File, from int, g *arguments) (int, error) {
	if f.View.External {
		data := make([]byte, g.bytes)
		n, err := read(f, from, data)
		c.Scatter(g.at, g.of.FromExternal(data[:n]), g.count, g.of)
		return n, err
	}
	l := c.Landing(g.at, g.count, g.of)
	n, err := read(f, from, l.Data)
	l.Put(c.Process, n)
	return n, err
}
