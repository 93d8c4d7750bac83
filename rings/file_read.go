package rings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"musubi/rma"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Read reads the receive rings of each rank. Errors are one line and begin with the name of the
// file and, if it is known, a line. Read does not know the size of packets; rma.Rings.Check checks
// that rings hold one.
func Read(r io.Reader, name string) ([]rma.Rings, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	var f file
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, explainTOML(name, err)
	}
	if n := len(f.Process); n < 1 || n > maxRanks {
		return nil, fmt.Errorf("%s: %d [[process]]; expected one for each rank, 1 to %d", name, n, maxRanks)
	}
	all := make([]rma.Rings, len(f.Process))
	seen := make([]bool, len(f.Process))
	for i := range f.Process {
		if err := f.Process[i].enter(all, seen); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, processLine(data, i), err)
		}
	}
	return all, nil
}

// enter checks the rings of a process and puts them into their place.
func (p *processTable) enter(all []rma.Rings, seen []bool) error {
	if p.Rank == nil {
		return errors.New("[[process]] without rank; expected rank = a whole number")
	}
	rank := *p.Rank
	if rank < 0 || rank >= len(all) {
		return fmt.Errorf("rank %d; expected 0 to %d, as there are %d [[process]]", rank, len(all)-1, len(all))
	}
	if seen[rank] {
		return fmt.Errorf("rank %d for the second time; expected one [[process]] for each rank", rank)
	}
	seen[rank] = true
	r := rma.Rings{Records: p.Records}
	if p.Shared != 0 {
		r.Other = rma.SharedRing(int(p.Shared)).Other
	}
	for i, t := range p.Private {
		ring, err := t.ring()
		if err != nil {
			return fmt.Errorf("rank %d, private ring %d: %w", rank, i, err)
		}
		r.Private = append(r.Private, ring)
	}
	if err := r.Check(len(all), 1); err != nil {
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	if n := areaOf(&r); n > MaxArea {
		return fmt.Errorf("rank %d: the rings take more than %d bytes; expected at most that", rank, MaxArea)
	}
	all[rank] = r
	return nil
}

// ring returns the ring that a table describes. The status may be left out.
func (t *ringTable) ring() (rma.Ring, error) {
	ring := rma.Ring{Bytes: int(t.Size), Senders: t.Senders}
	switch t.Status {
	case statusNames[rma.PerMessage]:
	case statusNames[rma.PerPacket]:
		ring.Status = rma.PerPacket
	case "":
		if len(t.Senders) > 1 {
			ring.Status = rma.PerPacket
		}
	default:
		return ring, fmt.Errorf("status is %q; expected %q or %q", t.Status, statusNames[rma.PerMessage], statusNames[rma.PerPacket])
	}
	if len(t.Senders) == 0 {
		return ring, errors.New("no senders; expected senders = [...], a list of ranks")
	}
	return ring, nil
}

// areaOf returns the bytes of all rings, or more than MaxArea if that is too large a
// number to care about.
func areaOf(r *rma.Rings) int {
	area := min(r.Other.Bytes, MaxArea+1)
	for _, ring := range r.Private {
		area = min(area+min(ring.Bytes, MaxArea+1), MaxArea+1)
	}
	return area
}

// processLine returns the line of a [[process]] in a document that can be read, 1 if
// it is written in another way.
func processLine(data []byte, i int) int {
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable {
			continue
		}
		key := e.Key()
		key.Next()
		if !key.IsLast() {
			continue
		}
		if i == 0 {
			return p.Shape(key.Node().Raw).Start.Line
		}
		i--
	}
	return 1
}

// explainTOML returns an error that names the fault in a document and its line.
func explainTOML(name string, err error) error {
	var syntax *toml.DecodeError
	var unknown *toml.StrictMissingError
	switch {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s:%d: unknown key %q; known are [[process]] with rank, shared, private, records, and in private senders, size, status",
			name, line, strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &syntax):
		line, _ := syntax.Position()
		return fmt.Errorf("%s:%d: %s", name, line, problem(syntax))
	}
	return fmt.Errorf("%s: %s", name, strings.Join(strings.Fields(err.Error()), " "))
}

// expected describes the values of the keys of the file.
var expected = map[string]string{
	"process": "[[process]] tables", "rank": "a whole number", "records": "a whole number",
	"shared": "bytes, or a text such as \"64KiB\"", "size": "bytes, or a text such as \"64KiB\"",
	"private": "an array of { senders = ..., size = ..., status = ... }", "senders": "an array of ranks", "status": "a text",
}

// problem describes the fault in the value of a key, or in the syntax.
func problem(err *toml.DecodeError) string {
	key := err.Key()
	if len(key) > 0 && strings.Contains(err.Error(), "cannot decode") {
		name := key[len(key)-1]
		return fmt.Sprintf("%s has a value of the wrong kind; expected %s", name, expected[name])
	}
	return strings.TrimPrefix(err.Error(), "toml: ")
}
