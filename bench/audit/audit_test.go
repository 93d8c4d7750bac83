package main

import (
	"os"
	"strings"
	"testing"
	"time"

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
	for engine, want := range map[string]string{
		"updn":    "| ring:5 | 0 | updn | **minhop** | 0 | **cycle of 5** | 1 |",
		"updn -a": "| ring:5 | 0 | updn -a | updn | 0 | free | 1 |",
		"lash":    "| ring:5 | 0 | lash | lash | 0 | free | ",
	} {
		row, err := s.audit(c, engineNamed(engine))
		check.Must(t, err)
		if !strings.HasPrefix(row.String(), want) || engine == "lash" && row.lanes < "2" {
			t.Errorf("%v; want %s", row, want)
		}
	}
	if row, err := s.audit(c, engineNamed("torus-2QoS")); row != nil || err != nil {
		t.Errorf("torus-2QoS on a ring: %v, %v; want nothing", row, err)
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
