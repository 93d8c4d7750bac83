package exchange

import (
	"context"
	"fmt"
	"testing"

	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
	"musubi/workload/job/param"

	"pgregory.net/rapid"
)

// job is one with its parameters.
type job interface {
	Check() error
	Ranks() int
	Schedule() *schedule.Schedule
}

// tester is a test, of package testing or rapid.
type tester interface {
	Helper()
	Fatal(...any)
}

// scheduleOf returns the schedule of a job with parameters, and nil if they do not fit.
func scheduleOf(t tester, j job, settings map[string]string) *schedule.Schedule {
	t.Helper()
	if err := param.Read(j, settings); err != nil {
		t.Fatal(err)
	}
	if j.Check() != nil {
		return nil
	}
	s := j.Schedule()
	messages, err := s.Expanded()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loggops.Run(context.Background(), messages, loggops.Parameters{Eager: 1}, loggops.LogGOPSim); err != nil {
		t.Fatal(err)
	}
	return s
}

// sent returns what a rank sends, without collective operations.
func sent(s *schedule.Schedule, rank int) (messages int, bytes uint64) {
	for _, op := range s.Ranks[rank].Ops {
		if op.Kind == schedule.Send {
			messages++
			bytes += op.Size
		}
	}
	return messages, bytes
}

// A box sends its whole border in each step: with all partners that is what a box that is wider by the border has more.
func TestStencilsExchangeBorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4)
		cells, width := rapid.IntRange(4, 20).Draw(t, "cells"), rapid.IntRange(1, 2).Draw(t, "width")
		grid, dimensions := fmt.Sprint(n.Draw(t, "x")), rapid.IntRange(1, 3).Draw(t, "dimensions")
		for range dimensions - 1 {
			grid += "x" + fmt.Sprint(n.Draw(t, "n"))
		}
		partners := rapid.SampledFrom([]string{"faces", "all"}).Draw(t, "partners")
		overlap := rapid.SampledFrom([]string{"on", "off"}).Draw(t, "overlap")
		var job Stencil
		s := scheduleOf(t, &job, map[string]string{"grid": grid, "cells": fmt.Sprint(cells), "width": fmt.Sprint(width), "partners": partners, "overlap": overlap, "steps": "3", "element": "8"})
		power := func(x int) int {
			p := 1
			for range dimensions {
				p *= x
			}
			return p
		}
		want, ways := 8*2*dimensions*width*power(cells)/cells, 2*dimensions
		if partners == "all" {
			ways = power(3) - 1
			// Corners and edges go too: (cells + 2 width)^d - cells^d, were they all as deep as a face.
			want = 8 * (power(cells+2*width) - power(cells))
		}
		for rank := range job.Ranks() {
			messages, bytes := sent(s, rank)
			if messages != 3*ways || bytes != uint64(3*want) {
				t.Fatalf("%+v: rank %d sends %d messages of %d bytes in three steps; expected %d of %d", job, rank, messages, bytes, 3*ways, 3*want)
			}
		}
	})
}

// In a transpose each rank hands in all it has, and all ranks together have all points.
func TestTransposesOfFFTs(t *testing.T) {
	for _, grid := range []string{"1x1", "1x4", "4x1", "4x2", "8x8"} {
		var job FFT
		s := scheduleOf(t, &job, map[string]string{"grid": grid, "points": "64", "steps": "2"})
		for rank := range job.Ranks() {
			transposes := map[uint32]uint64{}
			for _, op := range s.Ranks[rank].Ops {
				if op.Kind == schedule.Collective {
					transposes[op.Peer] += op.Size
				}
			}
			for group, bytes := range transposes {
				if bytes*uint64(job.Ranks()) != 2*16*64*64*64 {
					t.Errorf("%s: rank %d hands in %d bytes in group %d in two transforms; expected a part of all points", grid, rank, bytes, group)
				}
			}
			groups := 0
			for _, n := range job.dims {
				if n > 1 {
					groups++
				}
			}
			if len(transposes) != groups {
				t.Errorf("%s: rank %d transposes in %d groups; expected %d", grid, rank, len(transposes), groups)
			}
		}
	}
	if s := scheduleOf(t, new(FFT), map[string]string{"grid": "3x2", "points": "64"}); s != nil {
		t.Error("64 points do not divide by 3")
	}
}

// Each client gets a block from each server in each round.
func TestIncastBringsAllBlocks(t *testing.T) {
	var job Incast
	s := scheduleOf(t, &job, map[string]string{"servers": "5", "clients": "3", "rounds": "4", "block": "1000B"})
	for rank := range job.Ranks() {
		messages, bytes := sent(s, rank)
		if rank < 5 && (messages != 3*4 || bytes != 3*4*1000) {
			t.Errorf("server %d sends %d messages of %d bytes", rank, messages, bytes)
		}
		if rank >= 5 && (messages != 5*4 || bytes != 5*4*64) {
			t.Errorf("client %d sends %d messages of %d bytes", rank, messages, bytes)
		}
	}
}
