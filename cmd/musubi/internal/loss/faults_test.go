package loss

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
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
