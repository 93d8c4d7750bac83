package network_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/picture/network"
	"musubi/topology/generate"
)

var update = flag.Bool("update", false, "write the golden drawings anew")

// The drawings are those of testdata, to the byte. Look at them after -update.
func TestDrawings(t *testing.T) {
	for _, c := range []struct{ file, name string }{
		{"torus", "torus:4x3"}, {"body", "torus:3x3x3"}, {"tofu", "tofu:2x1x1x2x3x2"}, {"clos", "fattree:k=4"},
		{"dragonfly", "dragonfly:a=3,h=1,p=1"}, {"random", "random:switches=16,degree=4,seed=1"},
	} {
		d := network.Drawing{Title: c.name, Under: "drawn by its links"}
		check(t, c.file, c.name, d, nil)
	}
	loaded := network.Drawing{Title: "loads and a cycle", Unit: "pairs", Cycle: []network.Hold{
		{Channel: 0, Flow: "h0 → h2", Way: []int{0}}, {Channel: 4, VC: 1, Flow: "h1 → h3"},
	}}
	check(t, "loads", "mesh:3x2", loaded, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
}

func check(t *testing.T, file, name string, d network.Drawing, load []float64) {
	t.Helper()
	net, err := generate.Network(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Net, d.Load = net, load
	drawing, err := network.Draw(d)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := drawing.WriteSVG(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", file+".svg")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the drawing of %s is not %s; look at both, and use -update if the new one is better", name, golden)
	}
}

// Every switch and every link is drawn once; with loads, links twice.
func TestNothingIsLeftOut(t *testing.T) {
	net, err := generate.Network("random:switches=200,degree=4,seed=3", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, loads := range []bool{false, true} {
		d := network.Drawing{Net: net, Title: "all"}
		want := len(net.Links)
		if loads {
			d.Load = make([]float64, net.Channels())
			want = net.Channels()
		}
		drawing, err := network.Draw(d)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := drawing.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		links := 0
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "<path") && strings.Count(line, "L") == 1 && strings.Contains(line, `stroke-width`) && !strings.Contains(line, `width="0.6"`) && !strings.Contains(line, `width="0.8"`) {
				links++
			}
		}
		if switches := strings.Count(b.String(), `fill="#ffffff" stroke="#000000"`); switches != len(net.Switches) || links != want {
			t.Errorf("loads %v: %d switches and %d links; expected %d and %d", loads, switches, links, len(net.Switches), want)
		}
	}
}
