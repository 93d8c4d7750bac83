package roce

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"musubi/topology"
)

// The plain form is a CSV file. Comments begin with #. Its lines are:
//
//	musubi,nexthops,1                      the first line
//	send,3                                 classes in which hosts send; 3 if there is no such line
//	pfc,leaf1,spine1,3 4                   classes with flow control at ports of a switch
//	route,leaf1,leaf2,spine1 spine2        next hops of a switch to a destination
//	route,leaf1,h7,spine1,spine2,3         the same, for packets from some ports and in some classes
//	tunnel,leaf1,h7,leaf2,3>2              packets to h7 go to leaf2 inside others; class 3 becomes 2
//	remark,leaf1,spine1,spine2,3,4         packets from and to some ports change their class
//
// Switches are named by their IDs, ports by the neighbour that they lead to, by the word hosts, by
// their number as in #5, or by * for all. A destination is a switch, which stands for all its hosts;
// a host; or *, for all that is not named otherwise. Next hops are ports, or one of the words flood
// (to all ports but that of arrival) and drop.
//
// Without lines pfc, all ports have flow control for the classes in which hosts send.

// plainHeader is the first line of files of the plain form.
const plainHeader = "musubi,nexthops,"

const plainVersion = "1"

// LooksPlain reports whether a file that begins with head has the plain form.
func LooksPlain(head []byte) bool { return strings.HasPrefix(string(head), plainHeader) }

// ReadPlain reads tables of net in the plain form. Errors name file, line and what was expected.
func ReadPlain(r io.Reader, file string, net *topology.Network) (*Tables, error) {
	p := plainReader{scanner: bufio.NewScanner(r), file: file, builder: newBuilder(net)}
	p.scanner.Buffer(nil, maxLineLength)
	if err := p.next(); err != nil && err != io.EOF {
		return nil, err
	}
	if strings.Join(p.record, ",") != plainHeader+plainVersion {
		return nil, p.errorf("expected the first line to be %s%s", plainHeader, plainVersion)
	}
	for {
		err := p.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.line()
		}
		if err != nil {
			return nil, err
		}
	}
	t, err := p.builder.tables()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// maxLineLength bounds the lines of files, so that a file that is not text does not fill the
// memory.
const maxLineLength = 1 << 20

// plainReader is the state of ReadPlain. Tables of large fabrics are hundreds of megabytes, so it
// leaves lines to encoding/csv only if they have quotation marks.
type plainReader struct {
	scanner *bufio.Scanner
	file    string
	number  int // of the line
	record  []string
	builder *builder
}

// next reads the next line that is neither empty nor a comment.
func (p *plainReader) next() error {
	for p.scanner.Scan() {
		p.number++
		line := strings.TrimSuffix(p.scanner.Text(), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		p.record = p.record[:0]
		if !strings.Contains(line, `"`) {
			for field := range strings.SplitSeq(line, ",") {
				p.record = append(p.record, field)
			}
			return nil
		}
		record, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil {
			return p.errorf("%.80q is no line of a CSV file: expected two quotation marks for one inside", line)
		}
		p.record = record
		return nil
	}
	p.number++
	switch err := p.scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return p.errorf("a line of more than %d bytes", maxLineLength)
	case err != nil:
		return fmt.Errorf("%s: %w", p.file, err)
	}
	p.record = nil
	return io.EOF
}

func (p *plainReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, p.number, fmt.Sprintf(format, args...))
}

// plainLines tells how many values lines have, at least and at most, and who reads them.
var plainLines = map[string]struct {
	least, most int
	read        func(*plainReader, []string) error
}{
	"send":   {1, 1, (*plainReader).send},
	"pfc":    {3, 3, (*plainReader).pfc},
	"route":  {3, 5, (*plainReader).route},
	"tunnel": {3, 4, (*plainReader).tunnel},
	"remark": {5, 5, (*plainReader).remark},
}

func (p *plainReader) line() error {
	kind, ok := plainLines[p.record[0]]
	if !ok {
		return p.errorf("%.80q; expected send, pfc, route, tunnel or remark", p.record[0])
	}
	values := p.record[1:]
	if len(values) < kind.least || len(values) > kind.most {
		return p.errorf("%s with %d values; expected %s", p.record[0], len(values), fromTo(kind.least, kind.most))
	}
	if err := kind.read(p, values); err != nil {
		return p.errorf("%v", err)
	}
	return nil
}

func fromTo(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func (p *plainReader) send(values []string) error {
	classes, err := classSet(values[0])
	if err == nil && classes == 0 {
		err = errors.New("no class; expected some, such as 3 4")
	}
	p.builder.t.send = classes
	return err
}

func (p *plainReader) pfc(values []string) error {
	classes, err := classSet(values[2])
	if err != nil {
		return err
	}
	switches, err := p.builder.switchesNamed(values[0])
	if err != nil {
		return err
	}
	p.builder.flowControl = true
	for _, sw := range switches {
		at, err := p.builder.portsNamed(sw, values[1])
		if err != nil {
			return err
		}
		for port := range p.builder.flow[sw] {
			if at.has(port) {
				p.builder.flow[sw][port] = classes
			}
		}
	}
	return nil
}

func (p *plainReader) route(values []string) error {
	b := p.builder
	sw, err := b.switchNamed(values[0])
	if err != nil {
		return err
	}
	number, err := b.setNamed(sw, values[2])
	if err != nil {
		return err
	}
	if len(values) == 3 {
		return b.route(sw, values[1], number)
	}
	e := exception{classes: allClasses, set: number}
	if e.from, err = b.portsNamed(sw, values[3]); err != nil {
		return err
	}
	if len(values) == 5 {
		if e.classes, err = classSet(values[4]); err != nil {
			return err
		}
	}
	return b.except(sw, values[1], e)
}

func (p *plainReader) tunnel(values []string) error {
	b := p.builder
	sw, err := b.switchNamed(values[0])
	if err != nil {
		return err
	}
	end, err := b.switchNamed(values[2])
	if err != nil {
		return err
	}
	in := tunnel{end: int32(end)}
	for c := range uint8(numClasses) {
		in.encap[c], in.decap[c] = c, c
	}
	if len(values) == 4 {
		for change := range strings.FieldsSeq(values[3]) {
			from, to, ok := strings.Cut(change, ">")
			a, errA := class(from)
			c, errC := class(to)
			if !ok || errA != nil || errC != nil {
				return fmt.Errorf("%.80q; expected changes of classes, such as 3>2 4>6", values[3])
			}
			in.encap[a], in.decap[c] = c, a
		}
	}
	return b.begin(sw, values[1], in)
}

func (p *plainReader) remark(values []string) error {
	sw, err := p.builder.switchNamed(values[0])
	if err != nil {
		return err
	}
	var r remark
	if r.from, err = p.builder.portsNamed(sw, values[1]); err == nil {
		r.to, err = p.builder.portsNamed(sw, values[2])
	}
	if err == nil {
		r.class, err = class(values[3])
	}
	if err == nil {
		r.becomes, err = class(values[4])
	}
	p.builder.t.remark[sw] = append(p.builder.t.remark[sw], r)
	return err
}

const allClasses ClassSet = 1<<numClasses - 1

// classSet reads classes separated by blanks.
func classSet(text string) (ClassSet, error) {
	var set ClassSet
	for field := range strings.FieldsSeq(text) {
		c, err := class(field)
		if err != nil {
			return 0, err
		}
		set |= 1 << c
	}
	return set, nil
}

func class(text string) (uint8, error) {
	v, err := strconv.Atoi(text)
	if err != nil || v < 0 || v >= numClasses {
		return 0, fmt.Errorf("class %.80q; expected a number from 0 to %d", text, numClasses-1)
	}
	return uint8(v), nil
}

var words = []string{"flood", "drop"}

// isWord reports whether next hops are one of the words that stand for all of them.
func isWord(text string) bool { return slices.Contains(words, text) }
