package roce_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi/routing/nexthop"
	"musubi/routing/roce"
	"musubi/topology"
	"musubi/topology/format"
)

func network(t testing.TB, edges string) *topology.Network {
	t.Helper()
	r := format.Reader{Format: "edges"}
	n, err := r.Read(strings.NewReader(edges), "net.edges")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func prove(t *testing.T, edges, tables string) *nexthop.Proof {
	t.Helper()
	r, err := roce.ReadPlain(strings.NewReader("musubi,nexthops,1\n"+tables), "t.csv", network(t, edges))
	if err != nil {
		t.Fatal(err)
	}
	return nexthop.Prove(r)
}

// cycleOf writes the channels of a cycle, beginning with the one that is first in order.
func cycleOf(p *nexthop.Proof) string {
	var names []string
	net := p.Rules.Network()
	first := 0
	for i, d := range p.Cycle {
		names = append(names, fmt.Sprintf("%s->%s", net.SwitchName(net.From(d.Channel).Switch), net.SwitchName(net.To(d.Channel).Switch)))
		if names[i] < names[first] {
			first = i
		}
	}
	return strings.Join(append(names[first:], names[:first]...), " ")
}

func faultsOf(p *nexthop.Proof) string {
	var list []string
	for _, f := range p.Faults {
		list = append(list, fmt.Sprintf("%v %d", f.Outcome, f.Pairs))
	}
	return strings.Join(list, ", ")
}

func expect(t *testing.T, p *nexthop.Proof, cycle, faults string) {
	t.Helper()
	if got := cycleOf(p); got != cycle {
		t.Errorf("cycle %q; want %q", got, cycle)
	}
	if got := faultsOf(p); got != faults {
		t.Errorf("faults %q; want %q", got, faults)
	}
}

// Two pods of two leaves and two ToRs. Links L1-T1 and L3-T4 have failed, and leaves send what has
// come down from a spine up to the other spine (Hu et al., "Tagger", CoNEXT 2017).
const bounceEdges = `
S1 L1
S1 L2
S1 L3
S1 L4
S2 L1
S2 L2
S2 L3
S2 L4
L1 T2
L2 T1
L2 T2
L3 T3
L4 T3
L4 T4
h1 T1 host
h2 T2 host
h3 T3 host
h4 T4 host
`

const bounceTables = `
route,T3,h1,L3
route,L3,h1,S2
route,S2,h1,L1
route,L1,h1,S1
route,S1,h1,L2
route,L2,h1,T1
route,T2,h4,L1
route,L1,h4,S1
route,S1,h4,L3
route,L3,h4,S2
route,S2,h4,L4
route,L4,h4,T4
`

// others are drops of all other flows: the example has two.
const bounceRest = `
route,T1,*,drop
route,T2,*,drop
route,T3,*,drop
route,T4,*,drop
`

func TestBouncesAfterFailuresCloseACycle(t *testing.T) {
	p := prove(t, bounceEdges, bounceTables+bounceRest)
	expect(t, p, "L1->S1 S1->L3 L3->S2 S2->L1", "dropped 10")
	if c := p.CycleCure; c == nil || len(c.Turns) != 1 || !c.Least || c.MoreLanes != 1 {
		t.Errorf("cure %+v; want one turn and one more class", c)
	}
}

func TestOneBounceAloneClosesNone(t *testing.T) {
	for _, flow := range []string{"h1", "h4"} {
		var lines []string
		for _, l := range strings.Split(bounceTables, "\n") {
			if strings.Contains(l, ","+flow+",") {
				lines = append(lines, l)
			}
		}
		if p := prove(t, bounceEdges, strings.Join(lines, "\n")+bounceRest); !p.DeadlockFree() {
			t.Errorf("%s alone closes %s", flow, cycleOf(p))
		}
	}
}

func TestBouncesInAnotherClassAreFree(t *testing.T) {
	tagger := "remark,L1,S2,S1,3,4\nremark,L3,S1,S2,3,4\npfc,*,*,3 4\n"
	expect(t, prove(t, bounceEdges, tagger+bounceTables+bounceRest), "", "dropped 10")
	lossy := "remark,L1,S2,S1,3,0\nremark,L3,S1,S2,3,0\npfc,*,*,3\n"
	expect(t, prove(t, bounceEdges, lossy+bounceTables+bounceRest), "", "dropped 10")
}

// Packets to hosts that have died are flooded by their ToR, also upwards (Guo et al., "RDMA over
// Commodity Ethernet at Scale", SIGCOMM 2016).
const floodEdges = `
T0 La
T0 Lb
T1 La
T1 Lb
A1 T0 host
A2 T0 host
A3 T1 host
A4 T1 host
A5 T1 host
`

const floodTables = `
route,T0,A5,La
route,La,A5,T1
route,T0,A3,La
route,La,A3,T1
route,T1,A2,Lb
route,Lb,A2,T0
route,T0,*,La
route,T1,*,Lb
route,La,T1,T1
route,Lb,T0,T0
`

func TestFloodingClosesACycle(t *testing.T) {
	p := prove(t, floodEdges, floodTables+"route,T1,A3,flood\nroute,T0,A2,flood\n")
	expect(t, p, "La->T1 T1->Lb Lb->T0 T0->La", "")
	expect(t, prove(t, floodEdges, floodTables), "", "")
	expect(t, prove(t, floodEdges, floodTables+"route,T1,A3,drop\nroute,T0,A2,drop\n"), "", "dropped 8")
}

// Servers are attached to two ToRs; the one that is not active for a server sends its packets to the
// other by way of a leaf (SONiC, "PFC deadlock in dual-ToR").
const dualEdges = `
X A
X B
Y A
Y B
s1 A host
s1 B host
s2 A host
s2 B host
r1 X host
r2 Y host
`

const dualTables = `
tunnel,A,s1,B%[1]s
tunnel,B,s2,A%[1]s
route,X,s1,A
route,Y,s1,B
route,X,s2,A
route,Y,s2,B
route,A,B,Y
route,Y,B,B
route,B,A,X
route,X,A,A
route,A,X,X
route,A,Y,Y
route,B,X,X
route,B,Y,Y
route,X,Y,A
route,Y,X,B
`

func TestTunnelsBetweenToRsCloseACycle(t *testing.T) {
	expect(t, prove(t, dualEdges, fmt.Sprintf(dualTables, "")), "A->Y Y->B B->X X->A", "")
	free := prove(t, dualEdges, fmt.Sprintf(dualTables, ",3>2 4>6")+"pfc,*,*,2 3 4 6\n")
	expect(t, free, "", "")
}
