package tables

import (
	"encoding/csv"
	"fmt"
	"io"

	"musubi/topology"
)

// WriteCSV writes the table as comma-separated values: see ReadRHiNET2.
func (t *RHiNET2) WriteCSV(w io.Writer) error {
	c := csvWriter{csv.NewWriter(w), t.Net}
	c.header("rhinet2", t.Algorithm, t.VCs, t.Initial)
	for s, sw := range t.Net.Switches {
		for dst, out := range t.Output[s] {
			if out != 0 {
				c.line("output", sw.ID, endPointRef(t.Net, dst), out)
			}
		}
		for in := range sw.Ports + 1 {
			for out := range sw.Ports + 1 {
				if n := *t.ChangeAt(s, in, out); n != 0 {
					c.line("change", sw.ID, in, out, n)
				}
			}
		}
	}
	return c.finish()
}

// ReadRHiNET2 reads a table for net. The file is as ReadGeneral describes, except that
// its first line is musubi,rhinet2,1, and instead of forward there are the lines
//
//	output,SWITCH,DST,OUT       output port by destination
//	change,SWITCH,IN,OUT,N      adds N to the virtual channel; 0 where no line says otherwise
//
// Errors name file, line and what was expected.
func ReadRHiNET2(r io.Reader, file string, net *topology.Network) (*RHiNET2, error) {
	if err := checkPorts(net); err != nil {
		return nil, err
	}
	c := newCSVReader(r, file, net)
	t := emptyRHiNET2("", net, 0)
	t.Initial = c.initial
	err := c.read("rhinet2", func() error {
		switch c.record[0] {
		case "output":
			return c.rhinet2Output(t)
		case "change":
			return c.rhinet2Change(t)
		}
		return c.errorf("%.80q; expected algorithm, vcs, inject, output or change", c.record[0])
	})
	if err != nil {
		return nil, err
	}
	if c.vcs > rhinet2VCs {
		return nil, fmt.Errorf("%s: %d virtual channels; the switch has %d for data", file, c.vcs, rhinet2VCs)
	}
	t.Algorithm, t.VCs = c.algorithm, c.vcs
	return t, nil
}

func (c *csvReader) rhinet2Output(t *RHiNET2) error {
	if err := c.fields(4); err != nil {
		return err
	}
	sw, err := c.switchAt(1)
	if err != nil {
		return err
	}
	dst, err := c.endPoint(2)
	if err != nil {
		return err
	}
	port, err := c.port(3, sw)
	if err != nil {
		return err
	}
	if t.Output[sw][dst] != 0 {
		return c.errorf("a second output port for the same switch and destination")
	}
	t.Output[sw][dst] = int32(port)
	return nil
}

func (c *csvReader) rhinet2Change(t *RHiNET2) error {
	if err := c.fields(5); err != nil {
		return err
	}
	sw, err := c.switchAt(1)
	if err != nil {
		return err
	}
	in, err := c.port(2, sw)
	if err != nil {
		return err
	}
	out, err := c.port(3, sw)
	if err != nil {
		return err
	}
	n, err := c.number(4, 0, c.vcs-1)
	if err != nil {
		return err
	}
	*t.ChangeAt(sw, in, out) = uint8(n)
	return nil
}
