package tables

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
	"musubi/topology"
)

// readAndUse reads a file of any form for a ring of 4 switches, and if that
// succeeds writes it again and proves its routes, which must not fail.
type readAndUse func(t testing.TB, net *topology.Network, file string) error

var readers = map[string]readAndUse{
	"general": csvReadAndUse(ReadGeneral),
	"rhinet2": csvReadAndUse(ReadRHiNET2),
	"forwarding": func(t testing.TB, net *topology.Network, file string) error {
		tables, err := ReadForwarding(strings.NewReader(file), "file", net)
		if err != nil {
			return err
		}
		check.Must(t, tables.WriteForwarding(io.Discard))
		_, err = tables.Verify()
		check.Must(t, err)
		return nil
	},
	"levels": func(t testing.TB, net *topology.Network, file string) error {
		tables := shortestRingTables(t, net)
		if err := tables.ReadLevels(strings.NewReader(file), "file"); err != nil {
			return err
		}
		check.Must(t, tables.WriteLevels(io.Discard))
		_, err := tables.Verify()
		check.Must(t, err)
		return nil
	},
	"lanes": func(t testing.TB, net *topology.Network, file string) error {
		tables := shortestRingTables(t, net)
		if err := tables.ReadLanes(strings.NewReader(file), "file"); err != nil {
			return err
		}
		check.Must(t, tables.WriteLanes(io.Discard))
		_, err := tables.Verify()
		check.Must(t, err)
		return nil
	},
}

// csvTable is a table with a file of our own.
type csvTable interface {
	WriteCSV(io.Writer) error
	Routes() (*routing.Routes, error)
}

func csvReadAndUse[T csvTable](read func(io.Reader, string, *topology.Network) (T, error)) readAndUse {
	return func(t testing.TB, net *topology.Network, file string) error {
		table, err := read(strings.NewReader(file), "file", net)
		if err != nil {
			return err
		}
		check.Must(t, table.WriteCSV(io.Discard))
		r, err := table.Routes()
		check.Must(t, err)
		routing.Verify(r)
		return nil
	}
}

func TestReadersSayWhatIsWrong(t *testing.T) {
	const (
		general = "musubi,general,1\nvcs,2\n"
		rhinet2 = "musubi,rhinet2,1\nvcs,2\n"
		unicast = "Unicast lids [0-8] of switch Lid 5 guid 0x0000000000200000 ('s0'):\n"
		lanes   = "Switch 0x0000000000200000, base LID 5, \"s0\"\n"
	)
	long := strings.Repeat("x", 1000)
	tests := []struct{ reader, file, want string }{
		{"general", "", "file:1: expected the first line to be musubi,general,1"},
		{"general", strings.Repeat("\x00", maxLineLength+1), "file: a line of more than 1048576 bytes"},
		{"forwarding", strings.Repeat("\x00", maxLineLength+1), "file:1: a line of more than 1048576 bytes"},
		{"general", "musubi,rhinet2,1\n", "file:1: expected the first line to be musubi,general,1"},
		{"general", "musubi,general,1\n", "file: no line vcs,N"},
		{"general", "musubi,general,1\n\"x", "file:2: extraneous or missing \" in quoted-field"},
		{"general", "musubi,general,1\nforward,s0,1,0,h1.0/1,2,0\n", "file:2: \"forward\" before the line vcs,N"},
		{"general", "musubi,general,1\nvcs,999\n", "file:2: \"999\"; expected a number from 1 to 256"},
		{"general", general + "vcs,1\n", "file:3: a second line vcs"},
		{"general", general + "output,s0,h1.0/1,2\n", "file:3: \"output\"; expected algorithm, vcs, inject or forward"},
		{"general", general + "forward,s0,1,0,h1.0/1,2\n", "file:3: \"forward\" with 5 values; expected 6"},
		{"general", general + "# a comment\nforward,sX,1,0,h1.0/1,2,0\n", "file:4: switch \"sX\"; the network has no such switch"},
		{"general", general + "forward,s0,1,0,h1.0,2,0\n", "file:3: end point \"h1.0\"; the network has no such end point (an adapter's ID, a slash and a port number)"},
		{"general", general + "forward,s0,1,0,h1.0/1,4,0\n", "file:3: \"4\"; expected a number from 1 to 3"},
		{"general", general + "forward,s0,1,2,h1.0/1,2,0\n", "file:3: \"2\"; expected a number from 0 to 1"},
		{"general", general + "forward,s0,1,0,h1.0/1,2,0\nforward,s0,1,0,h1.0/1,3,1\n",
			"file:4: a second entry for the same switch, input port, virtual channel and destination"},
		{"general", general + "inject,h0.0/1,*,-1\n", "file:3: \"-1\"; expected a number from 0 to 1"},
		{"rhinet2", "musubi,rhinet2,1\nvcs,9\n", "file: 9 virtual channels; the switch has 8 for data"},
		{"rhinet2", rhinet2 + "output,s0,h1.0/1,2\noutput,s0,h1.0/1,2\n", "file:4: a second output port for the same switch and destination"},
		{"rhinet2", rhinet2 + "change,s0,1,2,2\n", "file:3: \"2\"; expected a number from 0 to 1"},
		{"rhinet2", rhinet2 + "forward,s0,1,0,h1.0/1,2,0\n", "file:3: \"forward\"; expected algorithm, vcs, inject, output or change"},
		{"forwarding", "", "file: no forwarding table; expected lines such as \"Unicast lids [0-32] of switch Lid 2 guid 0x2c90200401cc8:\", or \"dump_ucast_routes: Switch 0x2c90200401cc8\" as in opensm.fdbs"},
		{"forwarding", "0x0001 001\n", "file:1: an entry before the first switch; expected a line \"Unicast lids ...\""},
		{"forwarding", "hello\n", "file:1: \"hello\"; expected a line \"Unicast lids ...\" or \"0x0001 001 ...\""},
		{"forwarding", long, "file:1: \"" + long[:80] + "\"; expected a line \"Unicast lids ...\" or \"0x0001 001 ...\""},
		{"forwarding", "Unicast lids [0-8] of switch Lid 5 guid 0x99 ('x (guid 0x1)'):\n",
			"file:1: no switch of the network has GUID 0x0000000000000099 or is called \"x (guid 0x1)\""},
		{"forwarding", "Unicast lids [0-8] of switch Lid 5 guid 0x99 ('x'):\n", "file:1: no switch of the network has GUID 0x0000000000000099 or is called \"x\""},
		{"forwarding", unicast + unicast, "file:2: a second table of switch s0"},
		{"forwarding", unicast + "\n0xc000 001\n", "file:3: LID is \"0xc000\"; expected a number from 0 to 49151"},
		{"forwarding", unicast + "0x0001 256\n", "file:2: port is \"256\"; expected a number from 0 to 255"},
		{"forwarding", unicast + "0x0001 1\n0x0001 1\n", "file:3: a second entry for LID 1"},
		{"forwarding", unicast + "0x0001 1\n", "file: whose LIDs these are is not known: neither does the network have LIDs, nor the file comments with port GUIDs or node names that occur in the network"},
		{"levels", "0x100000 1\n", "file:1: \"0x100000 1\"; expected the GUID of the source, the LID of the destination and a service level"},
		{"levels", "0x99 1 0\n", "file:1: GUID 0x99; the network has no such adapter or port"},
		{"levels", "100000 1 0\n", "file:1: GUID is \"100000\"; expected a hexadecimal number such as 0x1f"},
		{"levels", "0x100000 99 0\n", "file:1: LID 99; no port has it"},
		{"levels", "0x100000 1 16\n", "file:1: service level is \"16\"; expected a number from 0 to 15"},
		{"levels", "# nothing\n", "file: no service level; expected lines such as \"0x2c90200401cc9 4 0\""},
		{"lanes", "", "file: no table of lanes; expected a line \"Switch 0x..., base LID ..., \"name\"\" or \"0x2c90200401cc8 1 2 0x01 ...\""},
		{"lanes", "1 2 : 0 1 2\n", "file:1: \"1 2 : 0 1 2\"; expected a line \"Switch 0x..., base LID ..., \"name\"\", or input port, output port, a colon and 16 lanes"},
		{"lanes", "1 2 :" + strings.Repeat(" 0", 16) + "\n", "file:1: a table before the first switch; expected a line \"Switch 0x..., base LID ..., \"name\"\""},
		{"lanes", lanes + "1 4 :" + strings.Repeat(" 0", 16) + "\n", "file:2: output port is \"4\"; expected a number from 0 to 3"},
		{"lanes", lanes + "1 2 :" + strings.Repeat(" 16", 16) + "\n", "file:2: lane is \"16\"; expected a number from 0 to 15"},
		{"lanes", "0x200000 1 2 0x00\n", "file:1: \"0x200000 1 2 0x00\"; expected the GUID of a switch, input port, output port and 8 bytes of two lanes each"},
		{"lanes", "0x200000 1 2" + strings.Repeat(" 0x100", 8) + "\n", "file:1: pair of lanes \"0x100\"; expected a byte"},
	}
	net := nettest.Ring(t, 4, 1)
	for _, tt := range tests {
		err := readers[tt.reader](t, net, tt.file)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %q:\ngot  %v\nwant %s", tt.reader, tt.file, err, tt.want)
		}
	}
}

func TestForwardingTakesWhatToolsPrint(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	files := map[string]string{
		"opensm-lfts.dump": `Unicast lids [0-8] of switch Lid 5 guid 0x0000000000200000 ('s0'):
0x0001 002 # Channel Adapter portguid 0x0000000000100003: 'h1.0'
`,
		"dump_lfts": `Unicast lids [0x0-0x8] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000200000 (s0):
  Lid  Out   Destination
       Port     Info
0x0001 002 : (Channel Adapter portguid 0x0000000000100003: 'h1.0')
1 valid lids dumped
`,
		"ibroute with LMC": `ibwarn: [12] something
Unicast lids [0x0-0x8] of switch Lid 5 guid 0x0000000000200000 (s0):
  Lid  Out   Destination
       Port     Info
0x0001 002 : (path #1 out of 1: portguid 0x0000000000100003)
1 lids dumped
`,
	}
	for name, file := range files {
		tables, err := ReadForwarding(strings.NewReader(file), name, net)
		if err != nil {
			t.Error(err)
			continue
		}
		if lids := tables.Addresses.LIDs(1); len(lids) != 1 || lids[0] != 1 || tables.port(0, 1) != 2 {
			t.Errorf("%s: host 1 has LIDs %v, port %d; want LID 1, port 2", name, lids, tables.port(0, 1))
		}
	}
}

func TestFDBSTakesLIDsFromTheNetwork(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	for e := range net.EndPoints {
		net.EndPoints[e].LID = uint16(10 + e)
	}
	file := `dump_ucast_routes: Switch 0x0000000000200000
LID    : Port : Hops : Optimal
0x000A : 001  : 00   : yes
0x000B : 002  : 01   : yes
0x000C : UNREACHABLE
`
	tables, err := ReadForwarding(strings.NewReader(file), "opensm.fdbs", net)
	check.Must(t, err)
	for dst, want := range []int{1, 2, noEntry, noEntry} {
		if got := tables.port(0, tables.Addresses.LIDs(dst)[0]); got != want {
			t.Errorf("host %d: port %d, want %d", dst, got, want)
		}
	}
}

// TestGeneralTableWithPlantedFaults plants what only this form can express.
func TestGeneralTableWithPlantedFaults(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	good, err := NewGeneral(routetest.Clockwise(t, net, 2, func(_, _ int) int { return 0 }))
	check.Must(t, err)
	var file bytes.Buffer
	check.Must(t, good.WriteCSV(&file))
	if p := routing.Verify(mustRoutes(t, file.String(), net)); len(p.Faults) != 0 || p.Unreachable != 0 {
		t.Fatalf("faults %v in a good table", p.Faults)
	}
	in, out := net.To(nettest.Channel(net, 0, 1)).Number, net.From(nettest.Channel(net, 1, 2)).Number
	line := csvLine("forward,s1", in, 0, "h2.0/1", out, 0)
	tests := []struct {
		name, replacement string
		kind              routing.FaultKind
	}{
		{"entry for another input channel", csvLine("forward,s1", in, 1, "h2.0/1", out, 0), routing.MissingEntry},
		{"back where it came from", csvLine("forward,s1", in, 0, "h2.0/1", in, 1) +
			csvLine("forward,s0", net.From(nettest.Channel(net, 0, 1)).Number, 1, "h2.0/1", net.From(nettest.Channel(net, 0, 1)).Number, 0), routing.Loop},
		{"wrong host", csvLine("forward,s1", in, 0, "h2.0/1", 1, 0), routing.Misdelivery},
	}
	for _, tt := range tests {
		if !strings.Contains(file.String(), line) {
			t.Fatalf("no line %q in %s", line, &file)
		}
		p := routing.Verify(mustRoutes(t, strings.Replace(file.String(), line, tt.replacement, 1), net))
		if len(p.Faults) != 1 || p.Faults[0].Kind != tt.kind || p.Unreachable == 0 {
			t.Errorf("%s: faults %v, %d pairs unreachable; want %v", tt.name, p.Faults, p.Unreachable, tt.kind)
		}
	}
}

func mustRoutes(t *testing.T, file string, net *topology.Network) *routing.Routes {
	t.Helper()
	table, err := ReadGeneral(strings.NewReader(file), "file", net)
	check.Must(t, err)
	r, err := table.Routes()
	check.Must(t, err)
	return r
}

func csvLine(fields ...any) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprintln(fields...), " ", ","), "\n") + "\n"
}

func fuzzReader(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		net := nettest.Ring(t, 4, 1)
		for e := range net.EndPoints {
			net.EndPoints[e].LMC = 1
		}
		if err := readers[name](t, net, file); err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}

// written returns what a writer writes of routes on a ring.
func written(f *testing.F, write func(*routing.Routes, io.Writer) error) string {
	var b bytes.Buffer
	check.Must(f, write(routetest.Clockwise(f, nettest.Ring(f, 4, 1), 2, func(src, _ int) int { return src % 2 }), &b))
	return b.String()
}

func writtenInfiniBand(f *testing.F, write func(*InfiniBand, io.Writer) error) string {
	return written(f, func(r *routing.Routes, w io.Writer) error {
		t, err := NewInfiniBand(r)
		check.Must(f, err)
		return write(t, w)
	})
}

func FuzzReadGeneralTable(f *testing.F) {
	fuzzReader(f, "general", written(f, func(r *routing.Routes, w io.Writer) error {
		t, err := NewGeneral(r)
		check.Must(f, err)
		return t.WriteCSV(w)
	}), "musubi,general,1\nalgorithm,x\nvcs,2\ninject,h0.0/1,*,1\nforward,s0,1,1,h1.0/1,2,0\nforward,s1,2,0,h1.0/1,1,0\n")
}

func FuzzReadRHiNET2Table(f *testing.F) {
	fuzzReader(f, "rhinet2", written(f, func(r *routing.Routes, w io.Writer) error {
		t, err := NewRHiNET2(r)
		check.Must(f, err)
		return t.WriteCSV(w)
	}), "musubi,rhinet2,1\nvcs,8\nchange,s0,1,2,7\ninject,h0.0/1,*,3\ninject,h0.0/1,h1.0/1,1\noutput,s0,h1.0/1,2\n")
}

func FuzzReadForwarding(f *testing.F) {
	fuzzReader(f, "forwarding", writtenInfiniBand(f, (*InfiniBand).WriteForwarding),
		"Unicast lids [0-8] of switch Lid 5 guid 0x200000 ('s0'):\n0x0001 001 # Channel Adapter portguid 0x100001: 'h0.0'\n0x0003 002 : (path #1 out of 2: portguid 0x100003)\n",
		"dump_ucast_routes: Switch 0x0000000000200000\nLID    : Port : Hops : Optimal\n0x000A : 001  : 00   : yes\n0x000C : UNREACHABLE\n")
}

func FuzzReadLevels(f *testing.F) {
	fuzzReader(f, "levels", writtenInfiniBand(f, (*InfiniBand).WriteLevels))
}

func FuzzReadLanes(f *testing.F) {
	fuzzReader(f, "lanes", writtenInfiniBand(f, (*InfiniBand).WriteLanes), writtenInfiniBand(f, (*InfiniBand).WriteLanesIBDM))
}
