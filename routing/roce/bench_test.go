package roce_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"musubi/routing/nexthop"
	"musubi/routing/roce"
	"musubi/topology/format"
)

// clos writes a Clos of three levels and its equal-cost routes: pods of as many leaves each, with
// half as many switches above them, each of which has as many cores.
func clos(pods int) (edges, tables string) {
	var e, r strings.Builder
	r.WriteString("musubi,nexthops,1\n")
	above := pods / 2
	for p := range pods {
		for a := range above {
			fmt.Fprintf(&r, "route,a%d-%d,*", p, a)
			for c := range above {
				fmt.Fprintf(&e, "a%d-%d c%d-%d\n", p, a, a, c)
				fmt.Fprintf(&r, "%cc%d-%d", ", "[min(c, 1)], a, c)
			}
			r.WriteByte('\n')
		}
		for l := range pods {
			fmt.Fprintf(&r, "route,l%d-%d,*", p, l)
			for a := range above {
				fmt.Fprintf(&e, "l%d-%d a%d-%d\n", p, l, p, a)
				fmt.Fprintf(&r, "%ca%d-%d", ", "[min(a, 1)], p, a)
			}
			r.WriteByte('\n')
			for a := range above {
				fmt.Fprintf(&r, "route,a%d-%d,l%d-%d,l%d-%d\n", p, a, p, l, p, l)
				for c := range above {
					fmt.Fprintf(&r, "route,c%d-%d,l%d-%d,a%d-%d\n", a, c, p, l, p, a)
				}
			}
			for h := range above {
				fmt.Fprintf(&e, "h%d-%d-%d l%d-%d host\n", p, l, h, p, l)
			}
		}
	}
	return e.String(), r.String()
}

func TestClosIsFree(t *testing.T) {
	edges, tables := clos(4)
	net := network(t, edges)
	r, err := roce.ReadPlain(strings.NewReader(tables), "clos.csv", net)
	if err != nil {
		t.Fatal(err)
	}
	p := nexthop.Prove(r)
	hosts := int64(len(net.EndPoints))
	if !p.OK() || p.Pairs != hosts*(hosts-1) || hosts != 4*4*2 {
		t.Errorf("%+v; want a sound Clos of 32 hosts", p)
	}
}

// BenchmarkClos1024 reads and proves the tables of a Clos of 1,024 leaves and 16,384 hosts.
func BenchmarkClos1024(b *testing.B) {
	edges, tables := clos(32)
	reader := format.Reader{Format: "edges"}
	net, err := reader.Read(strings.NewReader(edges), "clos.edges")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := roce.ReadPlain(bytes.NewReader([]byte(tables)), "clos.csv", net)
		if err != nil {
			b.Fatal(err)
		}
		if p := nexthop.Prove(r); !p.OK() {
			b.Fatal(p)
		}
	}
}
