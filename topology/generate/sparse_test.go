package generate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"musubi/topology/generate"
)

func TestRandomGraphsWithSomeLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		switches := rapid.IntRange(2, 40).Draw(t, "switches")
		degree := rapid.IntRange(2, max(2, min(6, switches-1))).Draw(t, "degree")
		most := max(switches-1, min(switches*degree/2, switches*(switches-1)/2)*3/4)
		links := rapid.IntRange(switches-1, most).Draw(t, "links")
		n, err := generate.Network(fmt.Sprintf("random:switches=%d,degree=%d,links=%d,seed=%d", switches, degree, links, rapid.IntRange(0, 99).Draw(t, "seed")), 0)
		if err != nil {
			t.Fatal(err)
		}
		if parts, _ := n.Components(); parts != 1 || len(n.Links) != links {
			t.Errorf("%d parts and %d links", parts, len(n.Links))
		}
		neighbours := map[[2]int]bool{}
		for _, l := range n.Links {
			pair := [2]int{min(l.A.Switch, l.B.Switch), max(l.A.Switch, l.B.Switch)}
			if pair[0] == pair[1] || neighbours[pair] {
				t.Errorf("link %v is a loop or parallel to another", l)
			}
			neighbours[pair] = true
		}
		for s := range n.Switches {
			if n.Degree(s) > degree {
				t.Errorf("switch %d has degree %d", s, n.Degree(s))
			}
		}
	})
}

func TestRandomGraphsWithTooFewOrTooManyLinks(t *testing.T) {
	for args, want := range map[string]string{
		"switches=16,degree=4,links=14": "links is 14; expected 15 to 24, for 16 switches of up to 4 links",
		"switches=16,degree=4,links=25": "links is 25; expected 15 to 24",
		"switches=4,degree=1,links=3":   "degree is 1; expected at least 2",
	} {
		if _, err := generate.Network("random:"+args, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; expected one with %q", args, err, want)
		}
	}
}
