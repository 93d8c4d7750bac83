package tables

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing/internal/routetest"
)

// TestFilesOfEveryFormAreReadBack: the first line of a file tells its form.
func TestFilesOfEveryFormAreReadBack(t *testing.T) {
	for _, f := range Forms() {
		if f.Read == nil {
			continue
		}
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 21))
			r := routetest.Trees(t, rng, nettest.Random(t, rng, 6), 2, func(_, _, _ int) int { return 1 })
			files, err := f.Files(r)
			check.Must(t, err)
			var text bytes.Buffer
			check.Must(t, files[0].Write(&text))
			if header := headerOf(f.Name); len(files) != 1 || files[0].Name != "" || !bytes.HasPrefix(text.Bytes(), []byte(header)) {
				t.Fatalf("form %s: %d files, the first %q; want one without a name that begins with %s", f.Name, len(files), files[0].Name, header)
			}
			back, err := Read(&text, "table.csv", r.Net)
			check.Must(t, err)
			samePaths(t, seed, back, r)
		}
	}
}
