package files

import (
	"io"

	"musubi/mpi/abi"
	"musubi/mpi/abi/typemap"
)

// guarded does something with so many bytes of data, one from on, while nobody else changes the bytes of the file between the
// first and the last, nor reads them if they are written.
func guarded(f *abi.File, from, bytes int, writes bool, do func() (int, error)) (int, error) {
	first, last := f.View.Bytes.Place(from), f.View.Bytes.Place(from+bytes-1)
	unlock, err := lock(f.OS, first, last+1-first, writes)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return do()
}

// read reads data from one byte of it on, and returns how much there is before the end of the file.
func read(f *abi.File, from int, into []byte) (int, error) {
	if f.Atomic {
		return guarded(f, from, len(into), false, func() (int, error) { return readNow(f, from, into) })
	}
	return readNow(f, from, into)
}

func readNow(f *abi.File, from int, into []byte) (int, error) {
	if f.View.Bytes.IsFlat() {
		n, err := readAt(f, into, f.View.Bytes.Place(from))
		return n, unlessEOF(err)
	}
	return inClusters(f, from, len(into), clustersToRead, func(c *cluster, done int) (int, error) { return c.read(f, into[done:]) })
}

// write writes data from one byte of it on, and returns how much has been written.
func write(f *abi.File, from int, data []byte) (int, error) {
	if f.Atomic {
		return guarded(f, from, len(data), true, func() (int, error) { return writeNow(f, from, data) })
	}
	return writeNow(f, from, data)
}

func writeNow(f *abi.File, from int, data []byte) (int, error) {
	if f.View.Bytes.IsFlat() {
		return writeAt(f, data, f.View.Bytes.Place(from))
	}
	return inClusters(f, from, len(data), clustersToWrite, func(c *cluster, done int) (int, error) { return c.write(f, data[done:]) })
}

// readAt reads bytes of a file.
func readAt(f *abi.File, into []byte, at int) (int, error) {
	if n := readBriefly(f, into, at); n == len(into) {
		return n, nil
	}
	return f.OS.ReadAt(into, int64(at))
}

// writeAt writes bytes of a file.
func writeAt(f *abi.File, data []byte, at int) (int, error) {
	if n := writeBriefly(f, data, at); n == len(data) {
		return n, nil
	}
	return f.OS.WriteAt(data, int64(at))
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// cluster is pieces that lie so near to each other that they are read or written together, with what lies between them.
type cluster struct {
	limits
	pieces     []typemap.Pieces
	first, end int // bytes of the file
	bytes      int // of data
	count      int // of pieces
}

// limits say how far apart pieces of a cluster are at most, and how many bytes of the file it has.
type limits struct{ gap, span int }

var (
	clustersToRead  = limits{gap: 4 << 10, span: 256 << 10} // one that fits a processor's cache
	clustersToWrite = limits{gap: 1 << 10, span: 2 << 20}   // several pieces in each page: one that is mapped anew takes longer than a system call
)

// inClusters carries out an access in clusters, until one is not done as a whole.
func inClusters(f *abi.File, from, bytes int, by limits, carryOut func(c *cluster, done int) (int, error)) (done int, err error) {
	c := cluster{limits: by}
	flush := func() bool {
		n, failure := carryOut(&c, done)
		done, err = done+n, failure
		more := err == nil && n == c.bytes
		c = cluster{limits: by, pieces: c.pieces[:0]}
		return more
	}
	more := true
	f.View.Bytes.Visit(from, bytes, func(p typemap.Pieces) bool {
		for p.Count > 0 {
			if c.count > 0 && !c.takes(&p) {
				if more = flush(); !more {
					return false
				}
			}
			c.add(&p)
		}
		return true
	})
	if more && c.count > 0 {
		flush()
	}
	return done, err
}

// takes reports whether the first of some pieces belongs to the cluster.
func (c *cluster) takes(p *typemap.Pieces) bool {
	return p.At >= c.first && p.At-c.end <= c.gap && p.At+p.Bytes-c.first <= c.span
}

// add moves as many pieces to the cluster as belong there, and one at least.
func (c *cluster) add(p *typemap.Pieces) {
	if c.count == 0 {
		c.first = p.At
	}
	some := *p
	some.Count = 1
	if p.Count > 1 && p.Stride > 0 && p.Stride-p.Bytes <= c.gap {
		some.Count = max(1, min(p.Count, (c.first+c.span-p.At-p.Bytes)/p.Stride+1))
	}
	c.pieces = append(c.pieces, some)
	c.end = max(c.end, some.End())
	c.bytes += some.Count * some.Bytes
	c.count += some.Count
	p.At += some.Count * p.Stride
	p.Count -= some.Count
}

// read reads a cluster, up to the end of the file.
func (c *cluster) read(f *abi.File, into []byte) (int, error) {
	if c.count == 1 {
		n, err := readAt(f, into[:c.bytes], c.first)
		return n, unlessEOF(err)
	}
	if f.Buffer == nil {
		f.Buffer = make([]byte, clustersToRead.span)
	}
	memory := f.Buffer[:c.end-c.first]
	n, err := readAt(f, memory, c.first)
	left := into[:c.bytes]
	if n == len(memory) {
		for i := range c.pieces {
			left = c.pieces[i].Gather(left, memory, c.first)
		}
		return c.bytes, nil
	}
	done := 0
	for p := range c.each {
		there := min(p.Bytes, max(0, n-(p.At-c.first)))
		done += copy(left[done:], memory[min(p.At-c.first, n):][:there])
		if there < p.Bytes {
			break
		}
	}
	return done, unlessEOF(err)
}

// each visits the pieces of the cluster one by one.
func (c *cluster) each(visit func(p typemap.Pieces) bool) {
	for _, p := range c.pieces {
		for k := range p.Count {
			if !visit(typemap.Pieces{At: p.At + k*p.Stride, Bytes: p.Bytes, Count: 1}) {
				return
			}
		}
	}
}

// fewPieces are written one by one: to map memory takes longer.
const fewPieces = 16

// write writes the pieces of a cluster, and nothing between them, as others may write there at the same time: through memory, or one by
// one.
func (c *cluster) write(f *abi.File, data []byte) (done int, err error) {
	if f.Mapped && c.count >= fewPieces && c.throughMemory(f, data) {
		return c.bytes, nil
	}
	for p := range c.each {
		var n int
		n, err = writeAt(f, data[done:][:p.Bytes], p.At)
		done += n
		if err != nil {
			break
		}
	}
	return done, err
}

// throughMemory writes the pieces of a cluster into the memory of the file, and reports whether it could.
func (c *cluster) throughMemory(f *abi.File, data []byte) bool {
	last := c.pieces[len(c.pieces)-1]
	end := last.End()
	if bytes, err := size(f); err != nil {
		return false
	} else if bytes < c.end { // the last piece makes the file longer, whatever others write meanwhile
		if end < c.end {
			return false
		}
		if _, err := writeAt(f, data[c.bytes-last.Bytes:c.bytes], end-last.Bytes); err != nil {
			return false
		}
	}
	return withMemory(f.OS, c.first, c.end-c.first, func(memory []byte) {
		left := data[:c.bytes]
		for i := range c.pieces {
			left = c.pieces[i].Scatter(memory, left, c.first)
		}
	})
}
