package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/scan"
)

// Reader reads networks. The zero value takes any format, and refuses dumps that are not complete.
type Reader struct {
	// Format is the name of the format; empty: the content tells it, or else the extension of the
	// file name if any text is of its format, as with edge lists.
	Format string
	// Truncated accepts dumps that name switches only as the neighbours of others: dumps that were
	// cut off, or scans of a part of a fabric.
	Truncated bool
	// Systems are directories with IBNL files, which say what is inside the systems of a .topo file.
	// The first one that describes a type counts.
	Systems []fs.FS
}

// Read reads a network in the format that the content suggests, or the extension of
// the file name; see Reader. file is what messages call it.
//
// A fault in the file is reported in one line, as
// "file:line: what was found; expected what".
func Read(r io.Reader, file string) (*topology.Network, error) { return new(Reader).Read(r, file) }

// Read reads a network in this format; see the function Read.
func (f Format) Read(r io.Reader, file string) (*topology.Network, error) {
	return (&Reader{Format: f.Name}).Read(r, file)
}

const (
	maxFile = 1 << 30  // the largest file that is read, in bytes
	maxHead = 64 << 10 // the part of a file that tells its format
)

// Read reads a network; see the function Read.
func (r *Reader) Read(in io.Reader, file string) (*topology.Network, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxHead))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	head := headOf(data)
	f, sure, err := r.format(head, file)
	if err != nil {
		return nil, err
	}
	if len(data) == maxHead {
		if !sure { // a long file of another kind is refused without reading all of it
			if _, err := r.parse(f, head, file); isBefore(err, strings.Count(head, "\n")) {
				return nil, err
			}
		}
		if data, err = readRest(data, in); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return r.parse(f, scan.Valid(data), file)
}

// isBefore reports whether an error is a fault on a line before the last one, so that what follows
// the head of a file cannot cure it.
func isBefore(err error, last int) bool {
	var at *scan.LineError
	return errors.As(err, &at) && at.Number < last
}

// headOf returns the beginning of a file as text, without a last line that may not be whole.
func headOf(data []byte) string {
	if len(data) == maxHead {
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			data = data[:i+1]
		}
	}
	return scan.Valid(data)
}

func readRest(data []byte, in io.Reader) ([]byte, error) {
	all := bytes.NewBuffer(data)
	if _, err := all.ReadFrom(io.LimitReader(in, maxFile+1-maxHead)); err != nil {
		return nil, err
	}
	if all.Len() > maxFile {
		return nil, fmt.Errorf("more than %d bytes; expected a description of a network", maxFile)
	}
	return all.Bytes(), nil
}

// format tells the format of a file, and whether the content looks like it.
func (r *Reader) format(head, file string) (f Format, sure bool, err error) {
	if r.Format != "" {
		f, err := Named(r.Format)
		return f, err == nil && f.looksLike(head), err
	}
	for _, f := range formats {
		if f.looksLike(head) {
			return f, true, nil
		}
	}
	for _, f := range formats {
		if f.anyText && slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(file))) {
			return f, false, nil
		}
	}
	if strings.TrimSpace(head) == "" {
		return Format{}, false, fmt.Errorf("%s: the file is empty; expected a description of a network", file)
	}
	return Format{}, false, fmt.Errorf("%s:1: not a known description of a network; expected one of %s, or the name of the format, as in edges:FILE",
		file, strings.Join(Names(), ", "))
}

func (r *Reader) parse(f Format, text, file string) (*topology.Network, error) {
	return named(file, func() (*topology.Network, error) { return f.read(text, r) })
}

// IsTruncation reports whether Read has refused a dump that Reader.Truncated accepts.
func IsTruncation(err error) bool {
	var at *scan.LineError
	return errors.As(err, &at) && at.Truncated
}

// named calls a network, or an error, after its file.
func named(file string, read func() (*topology.Network, error)) (*topology.Network, error) {
	n, err := read()
	var at *scan.LineError
	switch {
	case errors.As(err, &at):
		return nil, fmt.Errorf("%s:%w", file, at)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	n.Name = file
	return n, nil
}

// truncatable is for dumps that may be cut off.
func truncatable(read func(text string, truncated bool) (*topology.Network, error)) func(string, *Reader) (*topology.Network, error) {
	return func(text string, r *Reader) (*topology.Network, error) { return read(text, r.Truncated) }
}

// textAlone is for formats that nothing but the text matters for.
func textAlone(read func(text string) (*topology.Network, error)) func(string, *Reader) (*topology.Network, error) {
	return func(text string, _ *Reader) (*topology.Network, error) { return read(text) }
}
