package job

import (
	"cmp"
	"fmt"
	"musubi/live/health"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/tuning"
	"os"
	"runtime"
	"slices"
	"time"
)

// Host is a host that ranks run on.
type Host struct {
	Name  string // "" or "localhost": this one
	Ranks int    // at least 1
}

// Transports are the ways of data between ranks.
const (
	TransportAuto = "auto" // shared memory within a group, TCP between groups
	TransportShm  = "shm"  // shared memory only
	TransportTCP  = "tcp"  // TCP only, also between ranks of one host
	TransportUnix = "unix" // Unix-domain sockets only, between ranks of one host
)

// Ways in which ranks wait for messages.
const (
	WaitAuto  = "auto"  // they yield the processor, and sleep after some milliseconds; soon where ranks share processors
	WaitSpin  = "spin"  // they keep the processor
	WaitYield = "yield" // they yield it
	WaitSleep = "sleep" // they sleep soon
)

// How what ranks send each other over TCP is encrypted.
const (
	EncryptOn  = "on"  // each frame by itself, as TLS encrypts its records
	EncryptTLS = "tls" // by TLS, whose records have the frames
	EncryptOff = "off" // not at all: for networks on which nobody else can listen or send
)

// allWaits is for messages.
var allWaits = fmt.Sprintf("%s, %s, %s or %s", WaitAuto, WaitSpin, WaitYield, WaitSleep)

// allTransports is for messages.
var allTransports = fmt.Sprintf("%s, %s, %s or %s", TransportAuto, TransportShm, TransportTCP, TransportUnix)

// groupSpec is what a group of a job is to be, with all that it takes to start it.
type groupSpec struct {
	Host     string           // that its ranks run on; "" for this one
	Group    int              // its number
	Ranks    []int            // numbers of its ranks
	OnHost   int              // ranks of the job that share the processors of the host
	Wait     string           // how they wait
	Size     int              // ranks of the job
	Selves   []tcp.Credential // of its ranks, in their order; nil if nothing leaves the memory of the job
	Hub      string
	Bound    time.Duration
	NoDirect bool
	Protects wire.Protection // what they send over connections
	Unix     bool
	Command  []string // nil: that of this process
	Env      []string // added to the environment
	Dir      string   // that they start in; "": that of the parent
	Grace    time.Duration
	Bind     bool
	Observe  string // see Config
	Tuning   tuning.Choice
	Launched bool // they are started for themselves: Run returns in rank 0
	First    int  // ranks of the job on the same host in groups before
}

// place divides the ranks of a job into groups, host by host.
func place(cfg Config) ([]groupSpec, error) {
	hosts, err := cfg.hosts()
	if err != nil {
		return nil, err
	}
	if 0 < cfg.Bound && cfg.Bound < health.LeastBound {
		return nil, fmt.Errorf("live: bound of %v; expected at least %v", cfg.Bound, health.LeastBound)
	}
	switch cfg.Wait {
	case "", WaitAuto, WaitSpin, WaitYield, WaitSleep:
	default:
		return nil, fmt.Errorf("live: wait %q; expected %s", cfg.Wait, allWaits)
	}
	if _, err := cfg.protection(); err != nil {
		return nil, err
	}
	switch cfg.Transport {
	case "", TransportAuto:
	case TransportShm:
		if len(hosts) > 1 {
			return nil, fmt.Errorf("live: transport %s between %d groups of ranks; expected %s or %s", TransportShm, len(hosts), TransportAuto, TransportTCP)
		}
	case TransportTCP:
		hosts = eachAlone(hosts)
	case TransportUnix:
		if i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name != "" }); i >= 0 {
			return nil, fmt.Errorf("live: transport %s with ranks on host %q; expected all on this one, or %s or %s", TransportUnix, hosts[i].Name, TransportAuto, TransportTCP)
		}
		hosts = eachAlone(hosts)
	default:
		return nil, fmt.Errorf("live: transport %q; expected %s", cfg.Transport, allTransports)
	}
	return cfg.parts(hosts), nil
}

// hosts returns where ranks run, with at least one rank each.
func (c Config) hosts() ([]Host, error) {
	hosts := slices.Clone(c.Hosts)
	if hosts == nil {
		hosts = []Host{{Ranks: c.Ranks}}
	}
	size := 0
	for i := range hosts {
		h := &hosts[i]
		if h.Name == "localhost" {
			h.Name = ""
		}
		if h.Ranks < 1 && c.Hosts != nil {
			return nil, fmt.Errorf("live: %d ranks on host %q; expected at least 1", h.Ranks, h.Name)
		}
		if h.Ranks > wire.MaxRanks { // so that the sum does not overflow
			return nil, fmt.Errorf("live: %d ranks; expected 1 to %d", h.Ranks, wire.MaxRanks)
		}
		size += h.Ranks
	}
	switch {
	case size < 1 || size > wire.MaxRanks:
		return nil, fmt.Errorf("live: %d ranks; expected 1 to %d", size, wire.MaxRanks)
	case c.Ranks != 0 && c.Ranks != size:
		return nil, fmt.Errorf("live: %d ranks, but the hosts have %d; expected as many, or 0", c.Ranks, size)
	}
	return hosts, nil
}

// eachAlone makes a group of each rank.
func eachAlone(hosts []Host) []Host {
	var alone []Host
	for _, h := range hosts {
		alone = append(alone, slices.Repeat([]Host{{h.Name, 1}}, h.Ranks)...)
	}
	return alone
}

// parts gives the ranks of hosts their numbers. Each host is a group.
func (c Config) parts(hosts []Host) []groupSpec {
	size, onHost := 0, map[string]int{}
	for _, h := range hosts {
		size += h.Ranks
		onHost[h.Name] += h.Ranks
	}
	protection, _ := c.protection()
	var parts []groupSpec
	next, before := 0, map[string]int{}
	for i, h := range hosts {
		p := groupSpec{
			Host: h.Name, Group: i, OnHost: onHost[h.Name], Wait: c.Wait, Size: size, Bound: c.bound(),
			NoDirect: c.NoDirect, Protects: protection, Unix: c.Transport == TransportUnix, Command: c.Command, Env: c.Env, Dir: c.Dir, Grace: c.Grace, Bind: c.Bind,
			Observe: c.Observe, Launched: c.launched, First: before[h.Name],
		}
		before[h.Name] += h.Ranks
		for range h.Ranks {
			p.Ranks = append(p.Ranks, next)
			next++
		}
		parts = append(parts, p)
	}
	return parts
}

// protections are the ways of Config.Encrypt.
var protections = map[string]wire.Protection{"": wire.Sealed, EncryptOn: wire.Sealed, EncryptTLS: wire.Records, EncryptOff: wire.Unprotected}

// protection returns how what ranks send over connections is encrypted.
func (c Config) protection() (wire.Protection, error) {
	p, ok := protections[c.Encrypt]
	if !ok {
		return p, fmt.Errorf("live: encrypt %q; expected %s, %s or %s", c.Encrypt, EncryptOn, EncryptTLS, EncryptOff)
	}
	return p, nil
}

// bound returns how long a peer may be silent, 0 for ever.
func (c Config) bound() time.Duration {
	return max(0, cmp.Or(c.Bound, health.UsualBound))
}

// grace returns how long ranks may take to end.
func (s groupSpec) grace() time.Duration { return cmp.Or(s.Grace, time.Second) }

// waits returns whether ranks that wait sleep soon, as others need the processor, and what they do
// otherwise.
func (s groupSpec) waits() (sleeps, otherwise uint64) {
	switch s.Wait {
	case WaitSpin:
		return 0, shm.Spinning
	case WaitYield:
		return 0, shm.Yielding
	case WaitSleep:
		return 1, shm.Dozing
	}
	if s.OnHost > runtime.NumCPU() {
		return 1, shm.Dozing
	}
	return 0, shm.Dozing
}

// of returns what a rank is told of the job.
func (s groupSpec) of(rank int) spec {
	told := spec{
		Observe: s.Observe, Tuning: s.Tuning, Launched: s.Launched, Parent: os.Getpid(), CPU: s.processor(rank), Rank: rank, Host: s.Host, Size: s.Size,
		Hub: s.Hub, HubOf: wire.NoRank, Bound: s.Bound, Protects: s.Protects, Unix: s.Unix,
	}
	if s.Selves != nil {
		told.Self = s.Selves[slices.Index(s.Ranks, rank)]
	}
	return told
}

// processor returns the processor that a rank is to be bound to, noBinding if there is
// none for each.
func (s groupSpec) processor(rank int) int {
	allowed, err := processors()
	if !s.Bind || err != nil || s.OnHost > len(allowed) {
		return noBinding
	}
	return allowed[s.First+slices.Index(s.Ranks, rank)]
}
