package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"musubi/internal/check"
)

// TestAuditOfARing lets OpenSM route a ring: its updn finds no root and minhop takes over, which closes a
// cycle; with a root it closes none, and lash needs two lanes or more.
func TestAuditOfARing(t *testing.T) {
	preload, err := findPrograms()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	check.Must(t, err)
	s := settings{preload: preload, pairs: 100, patience: 3 * time.Minute}
	c, err := newCandidate("ring:5", 0)
	check.Must(t, err)
	for engine, want := range map[string]row{
		"updn":              {by: "minhop", verdict: cycle, channels: 5, lanes: "1"},
		"updn -a":           {by: "updn", verdict: free, lanes: "1"},
		"updn, no_fallback": {by: "none", verdict: noTables},
		"lash":              {by: "lash", verdict: free, lanes: "2"},
	} {
		r, err := s.audit(c, engineNamed(engine))
		check.Must(t, err)
		if r.by != want.by || r.verdict != want.verdict || r.channels != want.channels || r.lanes != want.lanes || r.lost != 0 {
			t.Errorf("%s: %+v; want %+v", engine, r, want)
		}
	}
	if row, err := s.audit(c, engineNamed("torus-2QoS")); row != nil || err != nil {
		t.Errorf("torus-2QoS on a ring: %v, %v; want nothing", row, err)
	}
}

// twoPorts has an adapter whose second port comes first in the description of the switch.
const twoPorts = `switchguid=0x200001(200001)
Switch	4 "S-0000000000200001"		# "s" base port 0 lid 9 lmc 0
[1]	"H-0000000000100000"[2](100002) 		# "two ports" lid 6 4xEDR
[2]	"H-0000000000100000"[1](100001) 		# "two ports" lid 5 4xEDR
[3]	"H-0000000000100010"[1](100011) 		# "one" lid 7 4xEDR

caguid=0x100000
Ca	2 "H-0000000000100000"		# "two ports"
[1](100001) 	"S-0000000000200001"[2]		# lid 5 lmc 0 "s" lid 9 4xEDR
[2](100002) 	"S-0000000000200001"[1]		# lid 6 lmc 0 "s" lid 9 4xEDR

caguid=0x100010
Ca	1 "H-0000000000100010"		# "one"
[1](100011) 	"S-0000000000200001"[3]		# lid 7 lmc 0 "s" lid 9 4xEDR
`

// TestLevelsOfTwoPorts asks an OpenSM that is at the first port of an adapter with two.
func TestLevelsOfTwoPorts(t *testing.T) {
	preload, err := findPrograms()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	check.Must(t, err)
	file := filepath.Join(t.TempDir(), "two.ibnetdiscover")
	check.Must(t, os.WriteFile(file, []byte(twoPorts), 0o600))
	c, err := newCandidate(file, 0)
	check.Must(t, err)
	s := settings{preload: preload, pairs: 100, patience: 3 * time.Minute}
	r, err := s.audit(c, engineNamed("lash"))
	check.Must(t, err)
	if r.by != "lash" || r.verdict != free || r.lanes != "1" || r.hosts != 3 {
		t.Errorf("%+v; want lash's tables, free in a lane", r)
	}
}

func TestCandidatesHangTogether(t *testing.T) {
	for failed := range 3 {
		c, err := newCandidate("torus:3x3", failed)
		check.Must(t, err)
		if len(c.net.Links) != 18-failed || !connected(c.net) {
			t.Errorf("%d links with %d failed", len(c.net.Links), failed)
		}
	}
	if c, err := newCandidate("ring:4", 2); c != nil || err != nil {
		t.Errorf("a ring of four with two failed links: %v, %v; want none, as it falls apart", c, err)
	}
}

// TestRowsAreKept writes rows, as an audit that is interrupted does, and reads them in the next one.
func TestRowsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	want := []*row{
		{network: "ring:5", failed: 1, switches: 5, links: 4, hosts: 5, engine: "nue, 8 lanes", by: "nue", verdict: free, lanes: "8", hops: 2.5, load: 6, seconds: 0.25},
		{network: "ring:5", switches: 5, links: 5, hosts: 5, engine: "updn", by: "minhop", verdict: nodesOnly, channels: 5, lost: 3, lanes: "1", hops: 1.5, load: 3, seconds: 0.5},
	}
	for i, r := range want {
		kept, err := openRows(file)
		check.Must(t, err)
		if len(kept.all) != i {
			t.Fatalf("%d rows are kept; want %d", len(kept.all), i)
		}
		check.Must(t, kept.add(r))
		check.Must(t, kept.file.Close())
	}
	kept, err := openRows(file)
	check.Must(t, err)
	if diff := cmp.Diff(want, kept.all, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	if !kept.has[key{"ring:5", 1, "nue, 8 lanes"}] || kept.has[key{"ring:5", 0, "nue, 8 lanes"}] {
		t.Errorf("known: %v", kept.has)
	}
	check.Must(t, os.WriteFile(file, []byte(strings.Join(columns, ",")+"\nring:5,x,5,4,5,updn,updn,free,0,0,1,1,1,1\n"), 0o600))
	if _, err := openRows(file); err == nil || !strings.Contains(err.Error(), "rows.csv:2: failed \"x\"") {
		t.Errorf("a row that is none: %v", err)
	}
}

func TestTables(t *testing.T) {
	var out strings.Builder
	printTables(&out, []*row{
		{network: "ring:5", engine: "minhop", by: "minhop", verdict: cycle, channels: 5, lanes: "1", load: 2, seconds: 1},
		{network: "ring:5", engine: "updn", by: "minhop", verdict: cycle, channels: 5, lanes: "1", load: 2, seconds: 1},
		{network: "ring:5", engine: "lash", by: "lash", verdict: free, lanes: "2", load: 3, seconds: 2},
		{network: "random:switches=8,degree=3,seed=1", failed: 1, engine: "updn", by: "none", verdict: noTables, lost: 1},
	})
	for _, want := range []string{
		"2 networks",
		"| updn | 2 | 0 | 0 | 1 | 1 | 1 | 1 |",
		"| lash | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 2, 2 | 1.50, 1.5 | 2.00 | 2.0 |",
		"| updn | 1 *other engine* | 1 no tables |  |",
		"| random, degree  3 |  | 1 no tables |  |",
		"| ring | 1 **cycle** | 1 *other engine* | 1 free |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, &out)
		}
	}
}

// TestDocument holds docs/audit.md against its rows.
func TestDocument(t *testing.T) {
	kept := &rows{has: make(map[key]bool)}
	check.Must(t, kept.read("../../docs/audit.csv"))
	text, err := os.ReadFile("../../docs/audit.md")
	check.Must(t, err)
	var out strings.Builder
	printTables(&out, kept.all)
	for table := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n\n") {
		if !strings.Contains(string(text), table) {
			t.Errorf("docs/audit.md lacks what its rows give:\n%s", table)
		}
	}
}
