package loss

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/faults"
	"musubi/topology"
)

// What takes much memory is told before it is taken, or refused: one routing, or as many at a time as there are cores.
func TestMemoryOfSurveysIsTold(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	net := nettest.Generate(t, "torus:64x64", 1)
	for _, test := range []struct{ routing, react, want string }{
		{"lash", byRepair, "about 2.7 GB of memory"},
		{"lash", byRouting, "3 cores at a time"},
		{"ecube", byRouting, ""},
		{"updown", byRepair, ""},
	} {
		var told bytes.Buffer
		a, err := routing.Lookup(test.routing)
		check.Must(t, err)
		f := &faultsFlags{React: test.react}
		if err := f.fits(cli.Shared{Stderr: &told}, net, a, routing.Options{DestinationOnly: test.react == byRepair}); err != nil {
			told.WriteString(err.Error())
		}
		if got := told.String(); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s, --react %s: %q; expected %q", test.routing, test.react, got, test.want)
		}
	}
}

// What an interrupt has cut short does not answer "yes", says how much there is, and leaves whole files alone.
func TestInterruptedSurveysAreTold(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "all.csv")
	check.Must(t, os.WriteFile(whole, []byte("of before"), 0o666))
	net := nettest.Generate(t, "ring:4", 1)
	a, err := routing.Lookup("updown")
	check.Must(t, err)
	f := &faultsFlags{Outputs: cli.Outputs{Rows: whole}, Routing: "updown", React: byRouting}
	react := faults.Routing(net, a, routing.Options{})
	v := &survey{net: net, flags: f, intact: react.Cost(topology.NewLoss())}
	v.Survey = faults.Run(t.Context(), net, react, false, 0, func(float64) {})
	if !v.ok() || v.interrupted() {
		t.Fatalf("ok %t, interrupted %t after %d of %d failures", v.ok(), v.interrupted(), v.Done, v.All)
	}
	v.All++ // one that there was no time for
	if d := v.document(); d.OK || d.Failures != 8 || d.All != 9 {
		t.Errorf("the JSON says ok %t, %d of %d; expected false, 8 of 9", d.OK, d.Failures, d.All)
	}
	if got, want := v.summary(), "Interrupted after 8 of 9 single failures"; !strings.HasPrefix(got, want) {
		t.Errorf("the summary is %q; expected %q first", got, want)
	}
	check.Must(t, v.write(cli.Shared{Stderr: &bytes.Buffer{}}))
	if text, err := os.ReadFile(whole); err != nil || string(text) != "of before" {
		t.Errorf("the file of all is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "all.partial.csv")); err != nil {
		t.Error(err)
	}
}
