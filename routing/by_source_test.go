package routing

import (
	"fmt"
	"testing"

	"musubi/topology/generate"
)

// TestPathsComeInOrderOfSources: that every pair keeps its paths, however many variants it has, and that these come in
// order of source and destination afterwards.
func TestPathsComeInOrderOfSources(t *testing.T) {
	net, err := generate.Network(fmt.Sprintf("ring:%d", 2*sourceBlock+3), 4)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBuilder("test", net, 3)
	if err != nil {
		t.Fatal(err)
	}
	n := len(net.Switches)
	variants := func(src, dst int) (rows, cols int) { return 1 + src%2, 1 + dst%4 }
	variant := func(src, dst, i, j int) (Path, int) {
		p := make(Path, (src+2*dst+i)%4)
		for k := range p {
			p[k] = MakeHop((src*n+dst+k)%net.Channels(), j%3)
		}
		return p, (i + j) % 3
	}
	for dst := range n {
		for src := range n {
			rows, cols := variants(src, dst)
			b.Variants(src, dst, rows, cols)
			for i := range rows {
				for j := range cols {
					b.Add(variant(src, dst, i, j))
				}
			}
		}
	}
	b.bySource()
	r, next := b.Routes(), 0
	for src := range n {
		for dst := range n {
			r.SwitchPaths(src, dst, func(i, j, rows, cols, id int) {
				if id != next {
					t.Fatalf("path %d,%d from switch %d to %d has number %d; expected %d", i, j, src, dst, id, next)
				}
				next++
				want, idle := variant(src, dst, i, j)
				if got := r.PathByID(id); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("path %d,%d from switch %d to %d is %v; want %v", i, j, src, dst, got, want)
				}
				if in, _ := r.HostVCs(id); len(want) == 0 && in != idle {
					t.Errorf("path %d,%d from switch %d to %d is idle on virtual channel %d; want %d", i, j, src, dst, in, idle)
				}
			})
		}
	}
	if next != r.NumPaths() {
		t.Errorf("%d paths were found; want all %d", next, r.NumPaths())
	}
}
