package tables

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"musubi/routing"
	"musubi/topology"
)

// csvVersion is the version of the files that ReadGeneral and
// ReadRHiNET2 describe.
const csvVersion = "1"

func endPointRef(net *topology.Network, e int) string {
	return fmt.Sprintf("%s/%d", net.Adapters[net.EndPoints[e].Adapter].ID, net.EndPoints[e].AdapterPort)
}

// csvWriter writes lines; the first error is kept by the csv.Writer.
type csvWriter struct {
	*csv.Writer
	net *topology.Network
}

func (w csvWriter) line(fields ...any) {
	record := make([]string, len(fields))
	for i, f := range fields {
		record[i] = fmt.Sprint(f)
	}
	w.Write(record)
}

func (w csvWriter) header(form, algorithm string, vcs int, initial PairTable) {
	w.line("musubi", form, csvVersion)
	w.line("algorithm", algorithm)
	w.line("vcs", vcs)
	for src, row := range initial {
		if len(row) == 1 {
			if row[0] != 0 {
				w.line("inject", endPointRef(w.net, src), "*", row[0])
			}
			continue
		}
		for dst, vc := range row {
			if vc != 0 {
				w.line("inject", endPointRef(w.net, src), endPointRef(w.net, dst), vc)
			}
		}
	}
}

func (w csvWriter) finish() error {
	w.Flush()
	return w.Error()
}

// csvReader reads lines and resolves the names in them.
type csvReader struct {
	csv       *csv.Reader
	file      string
	net       *topology.Network
	switches  map[string]int
	endPoints map[string]int
	record    []string

	algorithm string
	vcs       int // 0 until it is known
	initial   PairTable
}

func newCSVReader(r io.Reader, file string, net *topology.Network) *csvReader {
	c := &csvReader{csv: csv.NewReader(&lineLimiter{Reader: r}), file: file, net: net,
		switches: make(map[string]int), endPoints: make(map[string]int)}
	c.csv.FieldsPerRecord = -1
	c.csv.Comment = '#'
	c.csv.ReuseRecord = true
	for s := range net.Switches {
		c.switches[net.Switches[s].ID] = s
	}
	c.initial = NewPairTable(len(net.EndPoints))
	for e := range net.EndPoints {
		c.endPoints[endPointRef(net, e)] = e
	}
	return c
}

// read calls line for every line that is not common to both forms.
func (c *csvReader) read(form string, line func() error) error {
	if err := c.next(); err != nil && err != io.EOF {
		return err
	}
	if strings.Join(c.record, ",") != headerOf(form)+csvVersion {
		return c.errorf("expected the first line to be musubi,%s,%s", form, csvVersion)
	}
	for {
		switch err := c.next(); {
		case err == io.EOF:
			if c.vcs == 0 {
				return fmt.Errorf("%s: no line vcs,N", c.file)
			}
			return nil
		case err != nil:
			return err
		}
		if err := c.common(line); err != nil {
			return err
		}
	}
}

func (c *csvReader) next() error {
	record, err := c.csv.Read()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: %w", c.file, parse.Line, parse.Err)
	case err != nil && err != io.EOF:
		return fmt.Errorf("%s: %w", c.file, err)
	}
	c.record = record
	return err
}

func (c *csvReader) common(line func() error) error {
	switch c.record[0] {
	case "algorithm":
		if err := c.fields(2); err != nil {
			return err
		}
		c.algorithm = c.record[1]
		return nil
	case "vcs":
		if err := c.fields(2); err != nil {
			return err
		}
		if c.vcs != 0 {
			return c.errorf("a second line vcs")
		}
		var err error
		c.vcs, err = c.number(1, 1, routing.MaxVCs)
		return err
	}
	if c.vcs == 0 {
		return c.errorf("%.80q before the line vcs,N", c.record[0])
	}
	if c.record[0] == "inject" {
		return c.inject()
	}
	return line()
}

func (c *csvReader) inject() error {
	if err := c.fields(4); err != nil {
		return err
	}
	src, err := c.endPoint(1)
	if err != nil {
		return err
	}
	vc, err := c.number(3, 0, c.vcs-1)
	if err != nil {
		return err
	}
	if c.record[2] == "*" {
		c.initial[src] = []uint8{uint8(vc)}
		return nil
	}
	dst, err := c.endPoint(2)
	if err != nil {
		return err
	}
	c.initial.set(src, dst, uint8(vc))
	return nil
}

func (c *csvReader) errorf(format string, args ...any) error {
	line := 1
	if len(c.record) > 0 {
		line, _ = c.csv.FieldPos(0)
	}
	return fmt.Errorf("%s:%d: %s", c.file, line, fmt.Sprintf(format, args...))
}

// fields checks the number of fields of the line.
func (c *csvReader) fields(n int) error {
	if len(c.record) != n {
		return c.errorf("%.80q with %d values; expected %d", c.record[0], len(c.record)-1, n-1)
	}
	return nil
}

func (c *csvReader) switchAt(field int) (int, error) {
	s, ok := c.switches[c.record[field]]
	if !ok {
		return 0, c.errorf("switch %q; the network has no such switch", c.record[field])
	}
	return s, nil
}

func (c *csvReader) endPoint(field int) (int, error) {
	e, ok := c.endPoints[c.record[field]]
	if !ok {
		return 0, c.errorf("end point %q; the network has no such end point (an adapter's ID, a slash and a port number)", c.record[field])
	}
	return e, nil
}

func (c *csvReader) number(field, low, high int) (int, error) {
	n, err := strconv.Atoi(c.record[field])
	if err != nil || n < low || n > high {
		return 0, c.errorf("%.80q; expected a number from %d to %d", c.record[field], low, high)
	}
	return n, nil
}

// port reads a port number of a switch.
func (c *csvReader) port(field, sw int) (int, error) {
	return c.number(field, 1, c.net.Switches[sw].Ports)
}
