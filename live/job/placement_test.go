package job

import (
	"testing"
)

// Transports divide ranks into groups, and refuse hosts that they do not reach.
func TestTransportsDivideRanks(t *testing.T) {
	here, elsewhere := Host{Ranks: 2}, Host{Name: "node2", Ranks: 1}
	for _, c := range []struct {
		transport string
		hosts     []Host
		groups    int
		problem   string
	}{
		{"", []Host{here, elsewhere}, 2, ""},
		{TransportAuto, []Host{here}, 1, ""},
		{TransportShm, []Host{here}, 1, ""},
		{TransportShm, []Host{here, elsewhere}, 0, "live: transport shm between 2 groups of ranks; expected auto or tcp"},
		{TransportTCP, []Host{here, elsewhere}, 3, ""},
		{TransportUnix, []Host{here, {Name: "localhost", Ranks: 1}}, 3, ""},
		{TransportUnix, []Host{here, elsewhere}, 0, `live: transport unix with ranks on host "node2"; expected all on this one, or auto or tcp`},
		{"pigeon", []Host{here}, 0, `live: transport "pigeon"; expected auto, shm, tcp or unix`},
	} {
		parts, err := place(Config{Hosts: c.hosts, Transport: c.transport})
		if c.problem != "" {
			if err == nil || err.Error() != c.problem {
				t.Errorf("%q on %v: %v; expected %s", c.transport, c.hosts, err, c.problem)
			}
			continue
		}
		if err != nil || len(parts) != c.groups {
			t.Errorf("%q on %v: %d groups, %v; expected %d", c.transport, c.hosts, len(parts), err, c.groups)
		}
		for _, p := range parts {
			if p.Unix != (c.transport == TransportUnix) {
				t.Errorf("%q: ranks %v are told to use Unix-domain sockets: %v", c.transport, p.Ranks, p.Unix)
			}
		}
	}
}
