package tables

import (
	"encoding/csv"
	"io"

	"musubi/topology"
)

// WriteCSV writes the table as comma-separated values: see ReadGeneral.
func (t *General) WriteCSV(w io.Writer) error {
	c := csvWriter{csv.NewWriter(w), t.Net}
	c.header("general", t.Algorithm, t.VCs, t.Initial)
	for _, e := range t.entries {
		c.line("forward", t.Net.Switches[e.Switch].ID, e.In, e.InVC, endPointRef(t.Net, int(e.Dst)), e.Out, e.OutVC)
	}
	return c.finish()
}

// ReadGeneral reads a table for net. The file has comma-separated values
// (RFC 4180; lines that begin with # are comments). The first value of a line
// says what it is:
//
//	musubi,general,1                        first line; 1 is the version of the format
//	algorithm,NAME
//	vcs,N                                   virtual channels 0 to N-1; before what follows
//	inject,SRC,DST,VC                       first virtual channel of packets; * for all other DST
//	forward,SWITCH,IN,INVC,DST,OUT,OUTVC    ports and virtual channels
//
// Switches are named by ID, end points by the ID of the adapter, a slash and the
// adapter's port number. Where no line says otherwise packets begin on virtual
// channel 0. Errors name file, line and what was expected.
func ReadGeneral(r io.Reader, file string, net *topology.Network) (*General, error) {
	c := newCSVReader(r, file, net)
	t := &General{Net: net, Initial: c.initial}
	seen := make(map[Entry]bool) // with the output left out
	err := c.read("general", func() error {
		e, err := c.entry()
		if err != nil {
			return err
		}
		key := Entry{Switch: e.Switch, Dst: e.Dst, In: e.In, InVC: e.InVC}
		if seen[key] {
			return c.errorf("a second entry for the same switch, input port, virtual channel and destination")
		}
		seen[key] = true
		t.entries = append(t.entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.Algorithm, t.VCs = c.algorithm, c.vcs
	t.index()
	return t, nil
}

// entry reads a line "forward".
func (c *csvReader) entry() (Entry, error) {
	if c.record[0] != "forward" {
		return Entry{}, c.errorf("%.80q; expected algorithm, vcs, inject or forward", c.record[0])
	}
	if err := c.fields(7); err != nil {
		return Entry{}, err
	}
	sw, err := c.switchAt(1)
	if err != nil {
		return Entry{}, err
	}
	dst, err := c.endPoint(4)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Switch: int32(sw), Dst: int32(dst)}
	for _, f := range []struct {
		field int
		port  *int32
		vc    *uint8
	}{{2, &e.In, &e.InVC}, {5, &e.Out, &e.OutVC}} {
		port, err := c.port(f.field, sw)
		if err != nil {
			return Entry{}, err
		}
		vc, err := c.number(f.field+1, 0, c.vcs-1)
		if err != nil {
			return Entry{}, err
		}
		*f.port, *f.vc = int32(port), uint8(vc)
	}
	return e, nil
}
