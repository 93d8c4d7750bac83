package format

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"musubi/internal/nettest"
)

func FuzzReadGraphML(f *testing.F)       { fuzzFormat(f, "graphml") }
func FuzzReadDOT(f *testing.F)           { fuzzFormat(f, "dot") }
func FuzzReadSubnet(f *testing.F)        { fuzzFormat(f, "lst") }
func FuzzReadPortList(f *testing.F)      { fuzzFormat(f, "ports") }
func FuzzReadIBNetDiscover(f *testing.F) { fuzzFormat(f, "ibnetdiscover") }
func FuzzReadIBSim(f *testing.F)         { fuzzFormat(f, "ibsim") }
func FuzzReadTopo(f *testing.F)          { fuzzFormat(f, "topo") }
func FuzzReadIBNL(f *testing.F)          { fuzzFormat(f, "ibnl") }
func FuzzReadGML(f *testing.F)           { fuzzFormat(f, "gml") }
func FuzzReadNodeLink(f *testing.F)      { fuzzFormat(f, "json") }
func FuzzReadSONiC(f *testing.F)         { fuzzFormat(f, "sonic") }
func FuzzReadLinkInfo(f *testing.F)      { fuzzFormat(f, "iblinkinfo") }
func FuzzReadDBCSV(f *testing.F)         { fuzzFormat(f, "db_csv") }
func FuzzReadSlurm(f *testing.F)         { fuzzFormat(f, "slurm") }
func FuzzReadNetbench(f *testing.F)      { fuzzFormat(f, "netbench") }
func FuzzReadAnynet(f *testing.F)        { fuzzFormat(f, "anynet") }
func FuzzReadAdjacency(f *testing.F)     { fuzzFormat(f, "adjlist") }
func FuzzReadEdgeList(f *testing.F)      { fuzzFormat(f, "edges") }

// fuzzFormat demands of any input that it is refused in one line that names the
// place, or read and then written and read again without change.
func fuzzFormat(f *testing.F, name string) {
	format, err := Named(name)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range samples(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 10_000 {
			f.Add(string(data))
		}
	}
	for _, g := range []string{"mesh:2x2", "fattree:k=2", "ring:3"} {
		if format.write == nil {
			break
		}
		f.Add(write(f, format, nettest.Generate(f, g, 0)))
	}
	for _, m := range malformed {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := format.Read(strings.NewReader(text), "file")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error is not one line with the name of the file: %q", err)
			}
			return
		}
		var copied bytes.Buffer
		if format.Write(&copied, n) != nil {
			return // a text that can be read but not spelled
		}
		want := reduce(t, format, n)
		got, err := format.Read(bytes.NewReader(copied.Bytes()), "copy")
		if err != nil {
			if len(want.Switches) > 0 {
				t.Fatalf("%v\n%s", err, copied.String())
			}
			return
		}
		if name == "lst" || name == "ports" { // IDs and unknown speeds change
			if len(got.Links) != len(want.Links) || len(got.EndPoints) != len(want.EndPoints) {
				t.Fatalf("%d links and %d end points, was %d and %d", len(got.Links), len(got.EndPoints), len(want.Links), len(want.EndPoints))
			}
			return
		}
		if d := nettest.Difference(want, got); d != "" {
			t.Fatalf("changed by writing and reading (-was +is):\n%s\n%s", d, copied.String())
		}
	})
}
