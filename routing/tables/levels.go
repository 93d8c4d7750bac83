package tables

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteLevels writes the service level of every path in the format that ibdmchk reads with -c: GUID
// of the source's node, LID of the destination, service level. It fails if two ports of one adapter
// use different levels to the same LID, which this format cannot express.
func (t *InfiniBand) WriteLevels(w io.Writer) error {
	b := bufio.NewWriter(w)
	first := make(map[int]int) // by adapter: its first end point
	for src, e := range t.Net.EndPoints {
		if other, ok := first[e.Adapter]; ok {
			if err := t.sameLevels(other, src); err != nil {
				return err
			}
			continue
		}
		first[e.Adapter] = src
		guid := t.Addresses.net.Adapters[e.Adapter].GUID
		for dst := range t.Net.EndPoints {
			if dst == src {
				continue
			}
			for i, lid := range t.Addresses.LIDs(dst) {
				fmt.Fprintf(b, "0x%016x %d %d\n", guid, lid, t.levels(i).At(src, dst))
			}
		}
	}
	return b.Flush()
}

// WriteLevelsByPort writes the service level of every path like WriteLevels, with the GUID of the source's
// port, so that the ports of one adapter may use different ones.
func (t *InfiniBand) WriteLevelsByPort(w io.Writer) error {
	b := bufio.NewWriter(w)
	for src := range t.Net.EndPoints {
		for dst := range t.Net.EndPoints {
			for i, lid := range t.Addresses.LIDs(dst) {
				if dst != src {
					fmt.Fprintf(b, "0x%016x %d %d\n", t.Addresses.net.EndPoints[src].GUID, lid, t.levels(i).At(src, dst))
				}
			}
		}
	}
	return b.Flush()
}

// levels returns the service levels to the i-th LID of each end point.
func (t *InfiniBand) levels(i int) PairTable { return t.Levels[i%len(t.Levels)] }

// sameLevels fails unless two end points use the same levels everywhere.
func (t *InfiniBand) sameLevels(a, b int) error {
	for _, levels := range t.Levels {
		for dst := range t.Net.EndPoints {
			if dst != a && dst != b && levels.At(a, dst) != levels.At(b, dst) {
				return fmt.Errorf("%s and %s, ports of one adapter, use service levels %d and %d to %s; this file can only have one per adapter",
					t.Net.EndPointName(a), t.Net.EndPointName(b), levels.At(a, dst), levels.At(b, dst), t.Net.EndPointName(dst))
			}
		}
	}
	return nil
}

// ReadLevels reads the service levels of paths: lines of GUID of the source's
// node (or port), LID of the destination and service level. Paths without a line
// have level 0, but a file without any is refused. If no line is about another LID
// than the first of its port, the levels hold for all LIDs of each port. Errors name
// file, line and what was expected.
func (t *InfiniBand) ReadLevels(r io.Reader, file string) error {
	l := levelReader{lineReader: newLineReader(r, file), t: t, sources: make(map[uint64][]int)}
	for e, p := range t.Net.EndPoints {
		guid := t.Addresses.net.Adapters[p.Adapter].GUID
		l.sources[guid] = append(l.sources[guid], e)
	}
	for range t.Addresses.planes() {
		l.levels = append(l.levels, NewPairTable(len(t.Net.EndPoints)))
	}
	if err := l.each(l.line); err != nil {
		return err
	}
	if !l.told && len(t.Net.EndPoints) > 1 { // an empty file is one that was not written
		return fmt.Errorf("%s: no service level; expected lines such as \"0x2c90200401cc9 4 0\"", file)
	}
	t.Levels = l.levels[:1]
	if l.further {
		t.Levels = l.levels
	}
	return nil
}

// levelReader is the state of ReadLevels.
type levelReader struct {
	*lineReader
	t       *InfiniBand
	sources map[uint64][]int // end points by GUID of their adapter
	levels  []PairTable
	further bool // a line names a LID other than the first of its port
}

func (l *levelReader) line(line string) error {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return l.errorf("%.80q; expected the GUID of the source, the LID of the destination and a service level", line)
	}
	sources, err := l.source(fields[0])
	if err != nil {
		return err
	}
	lid, err := l.integer(fields[1], "LID", 1, maxLID)
	if err != nil {
		return err
	}
	level, err := l.integer(fields[2], "service level", 0, numSLs-1)
	if err != nil {
		return err
	}
	o, ok := l.t.Addresses.owners[uint16(lid)]
	switch {
	case !ok:
		return l.errorf("LID %d; no port has it", lid)
	case o.isSwitch:
		return nil
	}
	for i, own := range l.t.Addresses.LIDs(o.index) {
		if int(own) == lid {
			l.further = l.further || i > 0
			for _, src := range sources {
				l.levels[i].set(src, o.index, uint8(level))
			}
		}
	}
	return nil
}

// source finds the end points of an adapter, or one by its own GUID.
func (l *levelReader) source(text string) ([]int, error) {
	guid, err := l.hex(text, "GUID")
	if err != nil {
		return nil, err
	}
	if sources := l.sources[guid]; sources != nil {
		return sources, nil
	}
	if o, ok := l.t.directory().find(guid, ""); ok {
		if o.isSwitch {
			return nil, nil // packets of management
		}
		return []int{o.index}, nil
	}
	return nil, l.errorf("GUID 0x%x; the network has no such adapter or port", guid)
}
