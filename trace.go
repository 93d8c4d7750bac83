package musubi

import (
	"cmp"
	"io"

	"musubi/report/files"
	"musubi/sim/host"
	"musubi/trace"
)

// traced does what a run does, with a timeline of it if the scenario asks for one. The timeline is
// written whatever becomes of the run: one that comes to a deadlock is worth a look.
func (s *System) traced(run func() error) error {
	if s.Scenario.TraceFile == "" || s.IsLive() { // each process notes what it does
		return run()
	}
	var failed error
	err := files.Write(s.Scenario.TraceFile, func(w io.Writer) error {
		s.recorder = trace.New(w, s.traceNames())
		failed = run()
		return s.recorder.Close()
	})
	s.recorder = nil
	return cmp.Or(failed, err)
}

// observer returns what a new run tells of itself; nil if nobody asks.
func (s *System) observer() host.Observer {
	if s.recorder == nil {
		return nil
	}
	s.recorder.Next()
	return s.recorder
}

// traceNames says what the timeline is of.
func (s *System) traceNames() trace.Names {
	names := trace.Names{Rank: func(int) string { return "" }}
	if s.Net == nil {
		return names
	}
	cfg := host.Config{Machine: s.Machine, Net: s.Net}
	names.Rank = func(rank int) string { return s.Net.EndPointName(s.Hosts[rank]) }
	names.Link = cfg.LinkName
	var hosts []string // by node: numbered by their first rank
	known := map[int]bool{}
	for _, h := range s.Hosts {
		if !known[h] {
			known[h] = true
			hosts = append(hosts, s.Net.EndPointName(h))
		}
	}
	names.Node = func(node int) string { return hosts[node] }
	return names
}
