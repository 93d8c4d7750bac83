package generate_test

import (
	"strings"
	"testing"

	"musubi/topology/generate"
)

func FuzzGenerate(f *testing.F) {
	for _, g := range generate.All() {
		f.Add(g.Example, 0)
	}
	f.Add("random:switches=8,degree=5,seed=3", 2)
	f.Fuzz(func(t *testing.T, name string, hosts int) {
		n, err := generate.Network(name, hosts)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		if parts, _ := n.Components(); parts != 1 && !strings.HasPrefix(name, "dragonfly") {
			t.Fatalf("%s has %d parts", name, parts)
		}
	})
}
