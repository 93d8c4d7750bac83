package musubi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"musubi/option"
	"musubi/rma"
	"musubi/routing"
	"musubi/sim/machine"
	"musubi/topology/networks"
	"musubi/workload/programs"
)

// Scenario says what to run on what. The zero value of a field means what the
// machine says, unless its comment says otherwise. The tags are those of package option:
// flags, keys of scenario files, help and refusals follow from them, so that a new option is one
// field and the code that uses it. What is left out of JSON says how to look at a run, not what
// to run.
type Scenario struct {
	// Workload is one of package workload; empty with Run.
	Workload string `json:"workload,omitempty"`
	// Set holds parameters. Those of the machine have a dot in their name, the others are the
	// workload's.
	Set map[string]string `json:"set,omitempty" value:"NAME=VALUE" help:"parameter of the workload or the machine; repeatable"`

	// A built-in machine or a file, see package machine; or Live.
	Machine string `json:"on,omitempty" file:"toml" help:"machine that says what other flags do not: a name or a file, see \"musubi machines\"; programs also run on live: processes on this host"`
	// A name such as "torus:4x4", or a file; see networks.Open.
	Topology string `json:"topology,omitempty" for:"network" file:"any" help:"network, see \"musubi topology --help\": a name such as torus:4x4, or a file"`
	Part     string `json:"part,omitempty" for:"network" numbers:"yes" value:"part" help:"which part of a file to take whose switches are not all connected: a number from 1, or all, which also takes truncated dumps"`
	Hosts    int    `json:"hosts,omitempty" for:"network" help:"hosts per switch; 0 means as many as the topology says, or else the machine, or else 1"`
	Routing  string `json:"routing,omitempty" for:"network" help:"routing algorithm: {names}"`
	// VCs 0 with a routing that is not the machine's own means as many as it needs.
	VCs       int    `json:"vcs,omitempty" for:"network" help:"virtual channels for the routing; 0 means as many as it needs, or in a run what the machine says for its own routing"`
	Selection string `json:"selection,omitempty" for:"network" default:"what the machine says, or else balanced" help:"choice among several allowed paths: {names}"`
	Root      string `json:"root,omitempty" for:"network" numbers:"yes" value:"switch" suggest:"auto" default:"0" help:"root of spanning trees: name, ID or number of a switch, or auto: the one from which Up*/Down* has the fewest hops, and then the least load; several as s0+s1, or guids:FILE with a GUID a line"`

	// Jobs is a file of jobs that run together, in place of Workload; see docs/jobs.md.
	Jobs string `json:"jobs,omitempty" for:"network" file:"toml" help:"run the jobs of a file together on one network, in place of a workload: tables [[job]] with workload, ranks, place, start, background and set; each is also run alone"`

	Ranks int    `json:"ranks,omitempty" short:"n" help:"number of ranks; 0 means one per host, 64 without a network, or with --on live one per processor"`
	Place string `json:"place,omitempty" for:"network" file:"any" suggest:"even,block,cyclic,ring,snake,rail,random,fragmented" default:"even, or block on machines with nodes" help:"where ranks run: even (spread over the hosts), block (hosts in order, node by node), rail (node by node on the first rail, then on the next), random (nodes in random order), fragmented (runs of nodes from random places, as where other jobs have left them), cyclic, ring (along a cycle of adjacent switches), snake (through the coordinates, each row back), with a number each host has so many ranks, such as block:4; a list of hosts such as 0,4,8 or 0:4,1:4, or a file of such lists"`

	// Ways of the data between the ranks of Live; see package live.
	Transport string `json:"transport,omitempty" for:"live" values:"auto,shm,tcp,unix" default:"auto" help:"way of the data: auto (shared memory on a host, TCP between hosts), shm, tcp or unix (Unix-domain sockets on one host)"`
	Encrypt   string `json:"encrypt,omitempty" for:"live" values:"on,tls,off" default:"on" help:"encrypt what ranks send over TCP: each frame (on), by records of TLS (tls), or not (off): for networks that nobody else is on"`
	// Wait is how ranks of Live wait for messages.
	Wait string `json:"wait,omitempty" for:"live" values:"auto,spin,yield,sleep" default:"auto" help:"how ranks wait: auto (yield the processor, and sleep after some milliseconds, or soon where ranks share processors), spin, yield or sleep"`
	// Timeout is how long a rank of Live may give no sign of life until it counts as lost.
	Timeout Timeout `json:"-" name:"timeout" for:"live" value:"time" default:"10s" help:"how long a rank may give no sign of life until it counts as lost; 0 means for ever"`

	// Engine is for machines with a network. With "auto" Result.Engine says which it was.
	Engine string `json:"engine,omitempty" for:"network" values:"packet,flit,flow,auto" default:"what the machine says" help:"how the network is simulated: packet (each packet), flit (each flit), flow (long messages as rates, see \"How exact it is\" in docs/simulation.md) or auto (which says what it takes, and why)"`

	// Fail says what fails during a run; see failure.Parse.
	Fail string `json:"fail,omitempty" for:"network" value:"what" help:"what fails during the run, as WHAT@FROM, WHAT@FROM..UNTIL if it heals, or WHAT@FROM..UNTIL/N if it only gets N times slower: a switch, a link by a port of a switch, or a host, such as s3[2]@10us..50us; several with + between. network.mtbf lets links fail at random"`

	// Tuning is a file of "musubi tune", a machine whose measurements come along, or none.
	Tuning string `json:"tuning,omitempty" file:"any" suggest:"none" default:"that of the machine, or with --on live the file that MUSUBI_TUNING names, else that of hosts like this one" help:"choose algorithms of collective operations by measurements: a file that \"musubi tune\" wrote, a machine whose measurements come along, or none"`

	Seed   uint64 `json:"seed,omitempty" value:"uint" help:"seed of everything random that does not name its own"`
	Unsafe bool   `json:"unsafe,omitempty" for:"simulated" help:"accept a routing that can deadlock"`

	// Payload says whether data has bytes or only sizes, which take the same simulated time.
	Payload string `json:"payload,omitempty" for:"simulated" values:"auto,none,real" default:"auto" help:"bytes of the data that ranks exchange: real (they move, and what checks them does), none (only sizes do, in the same simulated time; for workloads that do not look at their data) or auto (none where that can be and the data of all ranks takes more than 64 MiB)"`

	// Rings are the receive rings of each rank, instead of those that the program asks
	// for; nil: as RingsFile or the program says, or else the machine.
	Rings     []rma.Rings `json:"-" name:"rings" for:"simulated"`
	RingsFile string      `json:"-" name:"rings" for:"simulated" value:"file" help:"take the receive rings of all ranks from a file, such as \"musubi plan rings\" writes"`
	// Record asks for Result.Record, and RecordFile for a file of it or of Result.Messages, see package
	// trace/format.
	Record     bool   `json:"-"`
	RecordFile string `json:"-" name:"record" value:"file" help:"write what ranks do: with a name that ends in .goal, .bin or .et their messages and calculations, as a schedule that \"run trace\" carries out again; else, on a simulated machine, who sends to whom by IPUSH, and how much at a time, for \"musubi plan rings\""`
	// TraceFile asks for a timeline of the run.
	TraceFile string `json:"-" name:"trace" value:"file" help:"write a timeline that ui.perfetto.dev opens: calls of ranks and messages, and on a simulated machine stages of network interfaces, links and queues"`
	// Breakdown asks for rows of metric "stage": the steps of messages on their way
	// (labels path, step, clocks), on machines that have named ones.
	Breakdown bool `json:"-" name:"breakdown" for:"simulated" help:"break the way of a message down into the named steps of the machine"`
}

// Worlds that an option is for. One that is for none of them is for all.
const (
	forLive      = "live"
	forSimulated = "simulated"
	forNetwork   = "network" // simulated machines that have one
)

// names are what options name: the registries of other packages.
var names = map[string]func() []string{
	"workload":  programs.Names,
	"on":        func() []string { return append(machine.Names(), Live) },
	"topology":  networks.Examples,
	"routing":   RoutingNames,
	"selection": routing.SelectionNames,
}

// Usual returns the scenario that command lines start from. Its only field that is not zero is
// the seed.
func Usual() Scenario { return Scenario{Seed: 1} }

// Options returns the options that a scenario has, which set the fields of s.
func (s *Scenario) Options() []*option.Option {
	all := option.Of(s)
	for _, o := range all {
		if o.For == forLive {
			o.Help = "with --on live, " + o.Help
		}
		if known := names[o.Name]; known != nil {
			o.Know(known())
		}
	}
	return all
}

// LiveOptions returns the options that say how processes run, for launchers.
func (s *Scenario) LiveOptions() []*option.Option {
	return slices.DeleteFunc(option.Of(s), func(o *option.Option) bool { return o.For != forLive })
}

// refuse fails if a scenario gives an option that is for one of these worlds. why says
// which world the scenario is in.
func (s *Scenario) refuse(why string, worlds ...string) error {
	for _, o := range option.GivenOf(s) {
		if slices.Contains(worlds, o.For) {
			return wrong(o.Name, fmt.Errorf("%s is given, but %s", o.Told(), why))
		}
	}
	return nil
}

// check fails if an option has a value that it cannot have.
func (s *Scenario) check() error {
	for _, o := range option.GivenOf(s) {
		if err := o.Check(); err != nil {
			return wrong(o.Name, err)
		}
	}
	return nil
}

// settings returns the elements of Set that are parameters of the machine, or else the ones of the
// workload.
func (s *Scenario) settings(ofMachine bool) map[string]string {
	some := maps.Clone(s.Set)
	maps.DeleteFunc(some, func(name, _ string) bool { return strings.Contains(name, ".") != ofMachine })
	return some
}

// Timeout is a time; negative: for ever; 0: what is usual.
type Timeout time.Duration

// UnmarshalText reads a time such as "5s"; "0" means for ever.
func (t *Timeout) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return errors.New("expected a time such as 5s, or 0 for ever")
	}
	if *t = Timeout(d); d == 0 {
		*t = -1
	}
	return nil
}

// String returns what UnmarshalText reads.
func (t Timeout) String() string { return max(0, time.Duration(t)).String() }

// InputError is a mistake in a scenario.
type InputError struct {
	Key string // what is at fault, as the command line calls it; "set.name" for an element of Set
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

func wrong(key string, err error) error { return &InputError{key, err} }
