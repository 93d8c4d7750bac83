package machine_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "musubi/sim/machine"
	"musubi/units"
)

func TestNames(t *testing.T) {
	names := Names()
	for _, want := range []string{"dimmnet2", "dimmnet2-match", "iqrouter", "loggp", "ndr", "ndr8", "nvl72", "qsnet2", "rhinet2", "ssscore", "tofu2", "vpush"} {
		if !slices.Contains(names, want) {
			t.Errorf("no machine is called %s", want)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("Names() = %v, expected them in order", names)
	}
	for i, m := range All() {
		if m.Name != Names()[i] {
			t.Errorf("machine %d is called %q, want %q", i, m.Name, Names()[i])
		}
		if m.Title == "" || m.Summary == "" {
			t.Errorf("%s lacks a title or a summary", m.Name)
		}
	}
}

func TestEveryFieldIsAParameter(t *testing.T) {
	for _, m := range All() {
		var keys []string
		for _, leaf := range slices.Concat(ofAll(), ofModel(m)) {
			keys = append(keys, leaf.key)
			if table, name, _ := strings.Cut(leaf.key, "."); table == "" || name == "" {
				t.Errorf("%s: %s is parameter %q; expected a key of the form table.name", m.Name, leaf.name, leaf.key)
			} else if !known(m, leaf.key) {
				t.Errorf("%s: %s, parameter %s, is not known", m.Name, leaf.name, leaf.key)
			}
		}
		slices.Sort(keys)
		if unique := slices.Compact(slices.Clone(keys)); len(unique) != len(keys) {
			t.Errorf("%s: keys repeat: %v", m.Name, keys)
		}
	}
}

// Files that do not say where a value comes from are refused, unless they say no more than the value.
func TestEveryParameterSaysWhereItComesFrom(t *testing.T) {
	for _, m := range All() {
		for _, p := range m.Parameters() {
			if strings.HasPrefix(p.Note, "set in ") {
				t.Errorf("%s: %s has a value alone", m.Name, p.Key)
			}
		}
	}
}

// Built-in machines leave nothing to documented zeros, so that a copy shows all
// that can be changed.
func TestBuiltInMachinesStateEveryParameter(t *testing.T) {
	for _, m := range All() {
		changed := load(t, m.Name)
		for _, leaf := range slices.Concat(ofAll(), ofModel(m)) {
			if belongs(changed, leaf.key) && find(m, leaf.key).Key == "" {
				t.Errorf("%s does not state %s", m.Name, leaf.key)
			}
		}
	}
}

// Those that all machines have are in the order of their fields, and those of a table lie together.
func TestParametersAreInOrderOfTheFields(t *testing.T) {
	places := map[string]int{}
	for i, leaf := range ofAll() {
		places[leaf.key] = i + 1
	}
	for _, m := range All() {
		var order []int
		var tables []string
		for _, p := range m.Parameters() {
			if place := places[p.Key]; place > 0 {
				order = append(order, place)
			}
			tables = append(tables, table(p.Key))
		}
		if !slices.IsSorted(order) {
			t.Errorf("%s: parameters out of order", m.Name)
		}
		tables = slices.Compact(tables)
		if together := slices.Compact(slices.Sorted(slices.Values(tables))); len(together) != len(tables) || tables[len(tables)-1] != "ring" {
			t.Errorf("%s: the tables are %v; expected each once, and ring behind the others", m.Name, tables)
		}
	}
}

// The constants that the paper states, and what follows from them.
func TestRHiNET2(t *testing.T) {
	m := load(t, "rhinet2")
	if got := m.PacketFlits(1792); got != 229 {
		t.Errorf("the largest packet has %d flits, want 229", got)
	}
	if got := m.PacketFlits(8); got != 17 {
		t.Errorf("a message of one flit takes %d flits, want 17", got)
	}
	if got, want := m.Switch.Latency+m.Link.Cable, 175*units.Nanosecond; got != want {
		t.Errorf("switch and cable take %v, want %v", got, want)
	}
	if got, want := m.Link.Rate.Transfer(m.Link.Flit), 10667*units.Picosecond; got != want {
		t.Errorf("a flit takes %v, want %v", got, want)
	}
	if got := m.Switch.Classes * m.Switch.VCs; got != 16 {
		t.Errorf("%d virtual channels, want 16", got)
	}
}

// Headers of the InfiniBand specification in words of 4 bytes.
func TestNDRPackets(t *testing.T) {
	const lrh, bth, reth, aeth, icrc, vcrc = 8, 12, 16, 4, 4, 2
	m := load(t, "ndr")
	words := func(bytes int) int { return (bytes + 3) / 4 }
	if got, want := m.Packet.Overhead, words(lrh+bth+reth+icrc+vcrc); got != want {
		t.Errorf("overhead of %d words, want %d", got, want)
	}
	if got, want := m.Packet.Reply, words(lrh+bth+aeth+icrc+vcrc); got != want {
		t.Errorf("acknowledgements of %d words, want %d", got, want)
	}
}

// A short message takes 1 us over one switch, as the notes of the file say.
func TestNDRShortMessage(t *testing.T) {
	m := load(t, "ndr")
	got := m.Host.PIO + m.NIC.PIOStart + 2*m.Link.HostCable + m.Switch.Latency + m.NIC.Receive + m.Host.Poll
	if want := units.Microsecond; got != want {
		t.Errorf("stages add up to %v, want %v", got, want)
	}
}

// Machine vpush is dimmnet2 but for who finds the place in a receive ring.
func TestVPUSH(t *testing.T) {
	vpush, dimmnet2 := load(t, "vpush"), load(t, "dimmnet2")
	var differs []string
	for _, p := range vpush.Parameters() {
		if p.Value != find(dimmnet2, p.Key).Value {
			differs = append(differs, p.Key)
		}
	}
	want := []string{"ipush_receive.pointers", "ipush_receive.free_start", "ipush_receive.free_end", "ipush_receive.space_test", "ring.manage"}
	if !slices.Equal(differs, want) {
		t.Errorf("vpush differs from dimmnet2 in %v, want %v", differs, want)
	}
}

// The stages of 8 bytes by PIO over one switch add up to the one figure that is
// published for all of them.
func TestQsNET2ShortMessage(t *testing.T) {
	m := load(t, "qsnet2")
	flits := units.Bytes(m.PacketFlits(8)) * m.Link.Flit
	got := m.Host.PIO + m.Host.PIORate.Transfer(8) + m.NIC.PIOStart + 2*m.Link.HostCable + m.Switch.Latency + m.Link.Rate.Transfer(flits) +
		m.NIC.Receive + m.Bus.Setup + m.Bus.Rate.Transfer(8) + 2*m.Bus.Latency + m.Host.Poll
	if off := got - 1300*units.Nanosecond; off < -10*units.Nanosecond || off > 10*units.Nanosecond {
		t.Errorf("stages add up to %v, want 1.3us", got)
	}
	if elan := m.NIC.PIOStart + m.NIC.Receive; elan != 240*units.Nanosecond {
		t.Errorf("the interfaces take %v of it, want 240ns", elan)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, m := range All() {
		path := filepath.Join(t.TempDir(), m.Name+".toml")
		if err := os.WriteFile(path, []byte(text(t, m)), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path)
		if err != nil {
			t.Errorf("%s does not read back: %v", m.Name, err)
			continue
		}
		again.Base = m.Base // what is written is whole
		if !reflect.DeepEqual(again, m) {
			t.Errorf("%s differs after writing and reading:\n%+v\n%+v", m.Name, again, m)
		}
	}
}

func TestSet(t *testing.T) {
	m := load(t, "rhinet2")
	if err := m.Set("switch.buffer", "8KiB"); err != nil {
		t.Fatal(err)
	}
	if m.Switch.Buffer != 8192 {
		t.Errorf("buffer is %v", m.Switch.Buffer)
	}
	want := Parameter{Key: "switch.buffer", Value: "8KiB", Kind: Chosen, Note: "set by the user; rhinet2 has 4KiB (published)"}
	if got := find(m, "switch.buffer"); got != want {
		t.Errorf("recorded %+v, want %+v", got, want)
	}
	if other := load(t, "rhinet2"); other.Switch.Buffer != 4096 {
		t.Errorf("Set changed what Load gives others: %v", other.Switch.Buffer)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ machine, key, value, want string }{
		{"rhinet2", "switch.bufer", "1KiB", "switch.bufer: unknown parameter; known: switch.engine, switch.flow, switch.classes, switch.vcs, switch.buffer, switch.latency, switch.combines"},
		{"tofu2", "queue.software", "1us", "queue.software: unknown parameter; known: host.software, queue.engines, queue.per_engine, queue.processes, queue.per_process, queue.entries, queue.notices, queue.command, queue.take, queue.nop, queue.self, queue.arrive"},
		{"ndr", "host.software", "1us", `host.software: a machine with interface.model = "dma" does not have it`},
		{"rhinet2", "latency", "1us", "latency: unknown parameter; known: switch.latency, bus.latency, domain.latency"},
		{"rhinet2", "speed", "1us", "speed: unknown parameter; parameters are in the tables network, link, switch, router, packet, interface, host, bus, nic, software, atomic, node, domain, queue, barrier, sram, remote, os, conditions, card, swif, processor, botf_send, memory_send, window_receive, push_receive, ipush_receive, memory_read, match, loggp, ring"},
		{"rhinet2", "", "", ": unknown parameter; parameters are in the tables network, link, switch, router, packet, interface, host, bus, nic, software, atomic, node, domain, queue, barrier, sram, remote, os, conditions, card, swif, processor, botf_send, memory_send, window_receive, push_receive, ipush_receive, memory_read, match, loggp, ring"},
		{"rhinet2", "loggp.L", "1us", `loggp.L: a machine with network.model = "fabric" does not have it`},
		{"loggp", "switch.vcs", "2", `switch.vcs: a machine with network.model = "loggp" does not have it`},
		{"rhinet2", "switch.latency", "150", `switch.latency: "150" is not a time such as 175ns or 0.175us (ps, ns, us, ms, s)`},
		{"rhinet2", "switch.latency", "-1ns", `switch.latency: "-1ns" is not a time such as 175ns or 0.175us (ps, ns, us, ms, s)`},
		{"rhinet2", "switch.vcs", "many", `switch.vcs: given "many", expected a whole number such as 8`},
		{"rhinet2", "switch.flow", "goback", `switch.flow: given "goback", expected one of credit, stop-go`},
		{"ssscore", "remote.copies", "some", `remote.copies: given "some", expected one of all, inner, none`},
		{"ssscore", "conditions.absent", "some", `conditions.absent: given "some", expected a number such as 0.25`},
		{"ssscore", "conditions.errors", "NaN", `conditions.errors: given "NaN", expected a number such as 0.25`},
		{"rhinet2", "conditions.absent", "0.5", `conditions.absent: a machine with interface.model = "dma" does not have it`},
		{"rhinet2", "nic.replies", "yes", `nic.replies: given "yes", expected true or false`},
		{"rhinet2", "network.routing", "", `network.routing: given "", expected a text`},
	} {
		err := load(t, c.machine).Set(c.key, c.value)
		if err == nil || err.Error() != c.want {
			t.Errorf("Set(%q, %q) on %s:\ngot  %v\nwant %s", c.key, c.value, c.machine, err, c.want)
		}
	}
}

// Each row changes a sound machine so that one rule is broken; the message names
// what collides.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		machine string
		set     []string // key=value
		want    []string
	}{
		{"rhinet2", []string{"switch.buffer=1KiB"}, []string{"switch.buffer of 1KiB", "packet.payload of 1792B", "128 flits", "234 are needed"}},
		{"rhinet2", []string{"switch.buffer=1871B"}, []string{"switch.buffer of 1871B", "stop-go", "link.cable of 25ns"}},
		{"rhinet2", []string{"packet.payload=8KiB"}, []string{"switch.buffer of 4KiB", "packet.payload of 8KiB"}},
		{"rhinet2", []string{"link.cable=10us"}, []string{"switch.buffer", "link.cable of 10us"}},
		{"rhinet2", []string{"switch.flow=credit", "switch.buffer=1800B"}, []string{"switch.buffer of 1800B", "packet.payload"}},
		{"iqrouter", []string{"router.switching=cut-through"}, []string{"switch.buffer of 64B", "packet.payload of 128B"}},
		{"iqrouter", []string{"switch.engine=packet"}, []string{"switch.buffer of 64B", "packet.payload of 128B"}},
		{"iqrouter", []string{"link.speeds=true"}, []string{"link.speeds", "switch.engine"}},
		{"ndr", []string{"switch.engine=flit"}, []string{"link.speeds", "switch.engine"}},
		{"iqrouter", []string{"switch.latency=3ns"}, []string{"switch.latency of 3ns", "table router", "4 cycles"}},
		{"iqrouter", []string{"router.lanes=65"}, []string{"switch.classes", "switch.vcs", "260"}},
		{"rhinet2", []string{"switch.classes=9"}, []string{"switch.classes of 9", "switch.vcs of 8", "at most 64"}},
		{"rhinet2", []string{"network.vcs=9"}, []string{"network.vcs of 9", "switch.vcs of 8"}},
		{"ndr", []string{"switch.classes=2"}, []string{"network.form", "switch.vcs of 8", "15"}},
		{"rhinet2", []string{"nic.pio_payload=2KiB"}, []string{"nic.pio_payload of 2KiB", "packet.payload of 1792B"}},
		{"rhinet2", []string{"nic.pio_payload=4B", "software.pio=0B"}, []string{"software.send", "nic.pio_payload of 4B", "words of 8B"}},
		{"rhinet2", []string{"nic.pio_payload=64B"}, []string{"software.pio of 128B", "nic.pio_payload of 64B"}},
		{"rhinet2", []string{"packet.reply=300"}, []string{"packet.reply of 300", "packet.payload"}},
		{"ndr", []string{"nic.pio_payload=0B", "packet.payload=8B"}, []string{"atomic.time of 400ns", "packet.payload of 8B", "16B"}},
		{"tofu2", []string{"packet.reply=62"}, []string{"atomic.time of 100ns", "packet.reply of 62 flits", "has 63, the largest packet 62"}},
		{"iqrouter", []string{"packet.minimum=0"}, []string{"packet.overhead", "packet.minimum"}},
		{"rhinet2", []string{"link.rate=0B/s"}, []string{"link.rate", "more than 0"}},
		{"rhinet2", []string{"link.flit=0"}, []string{"link.flit", "more than 0"}},
		{"rhinet2", []string{"switch.vcs=0"}, []string{"switch.vcs", "more than 0"}},
		{"rhinet2", []string{"switch.vcs=-1"}, []string{"switch.vcs is -1", "0 to 1048576"}},
		{"rhinet2", []string{"switch.latency=2s"}, []string{"switch.latency is 2s", "0 to 1s"}},
		{"rhinet2", []string{"switch.buffer=4000GiB"}, []string{"switch.buffer is 4000GiB", "1GiB"}},
		{"rhinet2", []string{"link.rate=6000000Gbit/s"}, []string{"link.rate", "1000000Gbit/s"}},
		{"loggp", []string{"loggp.G=0B/s"}, []string{"loggp.G", "more than 0"}},
		{"loggp", []string{"loggp.L=10s"}, []string{"loggp.L is 10s"}},
		{"dimmnet2", []string{"card.capacity=0B"}, []string{"card.capacity", "more than 0"}},
		{"dimmnet2", []string{"card.clock=1ms"}, []string{"card.clock is 1ms", "at most 1us"}},
		{"dimmnet2", []string{"card.write_windows=65"}, []string{"card.write_windows is 65", "at most 64"}},
		{"dimmnet2", []string{"card.processes=5"}, []string{"card.processes of 5", "card.write_windows of 4"}},
		{"dimmnet2", []string{"card.processes=4", "card.prefetch_windows=3"}, []string{"card.processes of 4", "card.prefetch_windows of 3"}},
		{"dimmnet2", []string{"card.refresh=7.8us"}, []string{"card.refresh of 7.8us", "card.refresh_interval of 7.8us"}},
		{"dimmnet2", []string{"processor.write_cold=99"}, []string{"processor.write_cold is 99", "100 to 10000 percent"}},
		{"dimmnet2", []string{"processor.sample=101"}, []string{"processor.sample is 101", "0 to 100 percent"}},
		{"dimmnet2", []string{"card.memory_path=0B"}, []string{"card.memory_path", "more than 0"}},
		{"dimmnet2", []string{"processor.poll=0ns"}, []string{"processor.poll", "more than 0"}},
		{"dimmnet2", []string{"card.window=3KiB", "packet.payload=3056B"}, []string{"card.window is 3KiB", "at most 2112B"}},
		{"dimmnet2", []string{"packet.payload=488B"}, []string{"card.window of 512B", "packet.payload of 488B", "header of 16B"}},
		{"dimmnet2", []string{"packet.overhead=1"}, []string{"packet.overhead is 1", "at least 2"}},
		{"dimmnet2", []string{"link.flit=4B"}, []string{"link.flit of 4B", `interface.model = "windows"`}},
		{"dimmnet2", []string{"switch.classes=1"}, []string{"switch.classes of 1", "acknowledgements"}},
		{"dimmnet2", []string{"swif.window=2048"}, []string{"swif.window is 2048", "at most 2047"}},
		{"dimmnet2", []string{"swif.loss=1000000"}, []string{"swif.loss is 1000000", "less than a million"}},
		{"dimmnet2", []string{"swif.timeout=2.395us"}, []string{"swif.timeout is 2.395us", "at least 2.396us"}},
		{"ndr", []string{"ring.full=nack"}, []string{`ring.full = "nack"`, `interface.model = "dma"`, `expected "stall"`}},
		{"tofu2", []string{"queue.engines=0"}, []string{"queue.engines", "more than 0"}},
		{"tofu2", []string{"queue.engines=65"}, []string{"queue.engines is 65", "at most 64"}},
		{"tofu2", []string{"queue.per_engine=5"}, []string{"queue.per_process of 24", "queue.per_engine of 5", "20 queues"}},
		{"tofu2", []string{"switch.engine=flit"}, []string{`switch.engine = "flit"`, `interface.model = "queues"`, `expected "packet"`}},
		{"tofu2", []string{"nic.replies=false"}, []string{"nic.replies = false", `interface.model = "queues"`, "expected true"}},
		{"tofu2", []string{"ring.full=nack"}, []string{`ring.full = "nack"`, `interface.model = "queues"`, `expected "stall"`}},
		{"ssscore", []string{"switch.engine=flit"}, []string{`switch.engine = "flit"`, `interface.model = "memory-based"`, `expected "packet"`}},
		{"ssscore", []string{"switch.classes=1"}, []string{"switch.classes of 1", "expected at least 2"}},
		{"ssscore", []string{"nic.staging=cut-through"}, []string{`nic.staging = "cut-through"`, `expected "store"`}},
		{"ssscore", []string{"nic.replies=false"}, []string{"nic.replies = false", "expected true"}},
		{"ssscore", []string{"nic.in_flight=4"}, []string{"nic.in_flight of 4", "sram.send", "expected 0"}},
		{"ssscore", []string{"nic.pio_payload=8"}, []string{"nic.pio_payload of 8", "expected 0"}},
		{"ssscore", []string{"packet.payload=5000B"}, []string{"packet.payload of 5000B", "4KiB"}},
		{"ssscore", []string{"packet.payload=15B"}, []string{"packet.payload of 15B", "at least 16B"}},
		{"ssscore", []string{"sram.send=72KiB"}, []string{"sram.send of 72KiB", "sram.reserve of 64KiB", "4126B"}},
		{"ssscore", []string{"sram.receive=72KiB"}, []string{"sram.receive of 72KiB", "sram.reserve of 64KiB"}},
		{"ssscore", []string{"sram.reserve=8KiB"}, []string{"sram.reserve of 8KiB", "packet.payload of 4KiB"}},
		{"ssscore", []string{"remote.chain=0"}, []string{"remote.chain", "more than 0"}},
		{"ssscore", []string{"remote.routes=0"}, []string{"remote.routes", "more than 0"}},
		{"ssscore", []string{"conditions.absent=1.5"}, []string{"conditions.absent is 1.5", "0 to 1"}},
		{"ssscore", []string{"conditions.absent=-0.5"}, []string{"conditions.absent is -0.5", "0 to 1"}},
		{"ssscore", []string{"conditions.scheduled=0.001"}, []string{"conditions.scheduled is 0.001", "0.01 to 1"}},
		{"ssscore", []string{"conditions.errors=0.01"}, []string{"conditions.errors is 0.01", "0 to 0.0001"}},
		{"ssscore", []string{"conditions.migrations=1@2ms"}, []string{`given "1@2ms"`, "rank@time:host"}},
		{"ssscore", []string{"conditions.migrations=1@2ms:3, x@1ms:1"}, []string{`given "x@1ms:1"`, "rank@time:host"}},
		{"ssscore", []string{"conditions.migrations=1@2:3"}, []string{`given "1@2:3"`, "not a time"}},
		{"loggp", []string{"ring.full=nack"}, []string{`ring.full = "nack"`, `network.model = "loggp"`, `expected "stall"`}},
	} {
		expectParts(t, loadWith(t, c.machine, c.set).Validate(), c.want, c.machine, c.set)
	}
}

func TestValidateAccepts(t *testing.T) {
	for _, c := range []struct {
		machine string
		set     []string
	}{
		{"rhinet2", []string{"switch.engine=flit"}},
		{"rhinet2", []string{"switch.buffer=1872B"}}, // 229 flits, and 5 while a stop is on its way
		{"rhinet2", []string{"switch.flow=credit", "switch.buffer=1832B"}},
		{"iqrouter", []string{"switch.vcs=2", "network.topology=torus:8x8"}},
		{"ndr", []string{"switch.engine=flit", "link.speeds=false"}},
		{"ndr", []string{"bus.rate=0B/s", "nic.in_flight=0"}},
		{"dimmnet2", []string{"card.window=1KiB", "packet.payload=1008B"}},
		{"tofu2", []string{"queue.engines=1", "queue.per_process=12", "queue.processes=64", "queue.entries=1", "queue.take=0ns"}},
		{"ssscore", []string{"conditions.absent=1", "conditions.scheduled=0.01", "conditions.errors=1e-9", "conditions.migrations=0@1ms:3,1@0ms:0"}},
		{"dimmnet2", []string{"card.processes=4", "swif.window=2047", "swif.loss=999999", "swif.timeout=2.396us"}},
		{"dimmnet2", []string{"card.clock=1us", "card.write_windows=64", "swif.timeout=1ms"}},
		{"dimmnet2", []string{"card.refresh=7.799us", "processor.write_cold=100"}},
		{"dimmnet2", []string{"processor.write_cold=10000"}},
		{"dimmnet2", []string{"card.processes=3", "card.write_windows=3", "card.prefetch_windows=3"}},
		{"dimmnet2", []string{"card.refresh_interval=0ns"}},                     // no refresh, whatever it would take
		{"dimmnet2", []string{"packet.overhead=2"}},                             // the lines of the header
		{"tofu2", []string{"packet.reply=61"}},                                  // an answer as long as the largest packet
		{"ndr", []string{"nic.pio_payload=0B", "packet.payload=16B"}},           // the operands of an atomic operation
		{"rhinet2", []string{"switch.classes=8"}},                               // of 8 virtual channels each: 64
		{"rhinet2", []string{"network.vcs=8", "switch.latency=1s"}},             // as many as switches have; the longest time
		{"rhinet2", []string{"nic.pio_payload=1792B"}},                          // a whole packet
		{"ndr", []string{"switch.vcs=15", "link.speeds=true"}},                  // the data lanes of InfiniBand
		{"iqrouter", []string{"switch.latency=3.5ns"}},                          // 4 cycles of 1 ns, rounded
		{"iqrouter", []string{"router.lanes=16"}},                               // for 4 virtual channels: 64
		{"tofu2", []string{"queue.engines=64"}},                                 // the most
		{"ssscore", []string{"packet.payload=16B", "switch.classes=2"}},         // two words
		{"ssscore", []string{"sram.send=73788B", "sram.receive=73788B"}},        // 64 KiB and two packets of 4126 B
		{"ssscore", []string{"sram.reserve=8252B", "conditions.errors=0.0001"}}, // two packets
	} {
		if err := loadWith(t, c.machine, c.set).Validate(); err != nil {
			t.Errorf("%s with %v: %v", c.machine, c.set, err)
		}
	}
}

func expectParts(t *testing.T, err error, parts []string, context ...any) {
	t.Helper()
	if err == nil {
		t.Errorf("%v: no error, want one with %q", context, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: error %q lacks %q", context, err, part)
		}
	}
	if strings.ContainsRune(err.Error(), '\n') {
		t.Errorf("%v: error of several lines: %q", context, err)
	}
}

func load(t *testing.T, name string) *Machine {
	t.Helper()
	m, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// loadWith loads a machine and sets parameters as --set does.
func loadWith(t *testing.T, name string, set []string) *Machine {
	t.Helper()
	m := load(t, name)
	for _, assignment := range set {
		key, value, _ := strings.Cut(assignment, "=")
		if err := m.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// A parameter takes its place among those that a machine has, whatever the order of a file.
func TestFilesMayHaveAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shuffle := func(texts []string) {
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	}
	for _, m := range All() {
		tables := strings.Split(text(t, m), "\n\n[")
		about, tables := tables[0], tables[1:]
		for i, table := range tables {
			lines := strings.Split(strings.TrimSpace(table), "\n")
			shuffle(lines[1:])
			tables[i] = strings.Join(lines, "\n")
		}
		shuffle(tables)
		got, err := loadText(t, about+"\n\n["+strings.Join(tables, "\n\n["))
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		} else if !slices.Equal(got.Parameters(), m.Parameters()) {
			t.Errorf("%s: shuffled it has\n%v\nexpected\n%v", m.Name, got.Parameters(), m.Parameters())
		}
	}
}

// Notes are written as they are, but for what would end them.
func TestNotesAreWrittenPlainly(t *testing.T) {
	const note = `"a note, \"so\" to say\u0001of C:\\"`
	m, err := loadText(t, "base = \"rhinet2\"\n[switch]\nlatency = { value = \"150ns\", kind = \"assumed\", note = "+note+" }\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, m); !strings.Contains(got, note) {
		t.Errorf("no %s in\n%.300s", note, got)
	}
}

// The largest file is read, and a byte more is not.
func TestLargestFile(t *testing.T) {
	small := text(t, load(t, "rhinet2"))
	for more, ok := range map[int]bool{0: true, 1: false} {
		large := small + strings.Repeat("\n", 1<<20+more-len(small))
		if _, err := loadText(t, large); (err == nil) != ok {
			t.Errorf("a file of %d bytes: error %v", len(large), err)
		}
	}
}

// Whoever changes a machine that is loaded changes none that is loaded later, or was before.
func TestLoadedMachinesAreOnesOwn(t *testing.T) {
	for _, name := range Names() {
		before, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		changed, _ := Load(name)
		reflect.ValueOf(changed.Section()).Elem().SetZero()
		for _, p := range changed.Parameters() {
			_ = changed.Set(p.Key, "7ps") // fails unless the parameter is a time, or a text
		}
		after, _ := Load(name)
		if !reflect.DeepEqual(after, before) {
			t.Errorf("%s is another machine after a copy of it was changed", name)
		}
		if reflect.DeepEqual(after.Section(), changed.Section()) || reflect.DeepEqual(after.Parameters(), changed.Parameters()) {
			t.Errorf("%s: what was changed is as before", name)
		}
	}
}
