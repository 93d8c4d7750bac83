package memory

import (
	"fmt"
	"math"

	"musubi/nic/mbc"
	"musubi/sim/machine"
	"musubi/units"
)

// Section is the tables of machine files that only this model has.
type Section struct {
	SRAM       SRAM
	Remote     Remote
	OS         OS
	Conditions Conditions
}

// SRAM describes the buffer of a network interface of model "memory-based": a ring for
// what is to be sent, and one for what has come. Receiving goes first.
type SRAM struct {
	Rate    units.Rate  `param:"sram.rate"`    // of all reads and writes together
	Send    units.Bytes `param:"sram.send"`    // send ring
	Receive units.Bytes `param:"sram.receive"` // receive ring
	Reserve units.Bytes `param:"sram.reserve"` // of each ring, that requests leave to replies
}

// Remote describes accesses to remote memory by a network interface of model
// "memory-based".
type Remote struct {
	Routes  int        `param:"remote.routes"`                         // virtual nodes that the route table holds
	Compare units.Time `param:"remote.compare" zero:"takes no time"`   // what the ALU does with a word between reading and writing it
	Chain   int        `param:"remote.chain"`                          // members of a chain multicast; more are several chains
	Convert bool       `param:"remote.convert"`                        // the first member of a chain lets switches copy it to the others
	Copies  string     `param:"remote.copies" choice:"all,inner,none"` // switches that copy packets: "all"; "inner": those that no host is at; "none". Hosts at others pass packets on
	Window  int        `param:"remote.window"`                         // packets without acknowledgement by the next interface, if links make errors
	Retry   units.Time `param:"remote.retry"`                          // until they are sent again
	Tries   int        `param:"remote.tries"`                          // how often, before the run fails
}

// OS gives what the operating system of a host does for its network interface costs the
// processor.
type OS struct {
	Interrupt units.Time `param:"os.interrupt"` // into the operating system and back
	Route     units.Time `param:"os.route"`     // find a route and write it to the interface
	Access    units.Time `param:"os.access"`    // translate an address and do the access, without moving its data
	PageIn    units.Time `param:"os.page_in"`   // make a page present
	Report    units.Time `param:"os.report"`    // tell a process of an access that was refused
	Stop      units.Time `param:"os.stop"`      // stop a process for good, which has tried what it may not
	Migrate   units.Time `param:"os.migrate"`   // stop a process and start it on another host, without moving its memory
}

// Conditions are what happens to processes and links during a run. Random choices depend
// on the seed of the run.
type Conditions struct {
	Absent    float64    `param:"conditions.absent"`                          // share of the pages of exposed memory that are not present at first
	Evict     units.Time `param:"conditions.evict" zero:"pages stay present"` // interval after which as many are made absent again
	Scheduled float64    `param:"conditions.scheduled"`                       // share of the time in which the process of a rank has the processor
	Quantum   units.Time `param:"conditions.quantum"`                         // for how long at a time
	Errors    float64    `param:"conditions.errors"`                          // probability that a link inverts a bit
	// Migrations lists ranks that move to another host during the run, as
	// "rank@time:host, ..."; "none" if none does.
	Migrations string `param:"conditions.migrations" zero:"none"`
}

// wordsBytes is what a compare-and-swap carries.
const wordsBytes = 16

// Check implements machine.Section.
func (s *Section) Check(m *machine.Machine) error {
	err := m.CheckPositive("sram.rate", "sram.send", "sram.receive", "sram.reserve", "remote.routes", "remote.chain", "remote.window", "remote.retry",
		"remote.tries", "conditions.scheduled", "conditions.quantum")
	if err != nil {
		return err
	}
	if err := checkStages(m); err != nil {
		return err
	}
	if err := s.checkSRAM(m); err != nil {
		return err
	}
	return s.checkConditions()
}

// checkStages refuses what parameters that other models share could say of interfaces
// that work otherwise.
func checkStages(m *machine.Machine) error {
	n, where := &m.NIC, "interface.model = \"memory-based\""
	switch {
	case m.Switch.Engine != "packet":
		return fmt.Errorf("switch.engine = %q collides with %s: its packets are multicast and go back the way they have come; expected \"packet\"", m.Switch.Engine, where)
	case m.Switch.Classes < 2:
		return fmt.Errorf("switch.classes of %d collides with %s: replies need a class of their own; expected at least 2", m.Switch.Classes, where)
	case n.Staging != "store":
		return fmt.Errorf("nic.staging = %q collides with %s: packets are whole in a ring before they go on; expected \"store\"", n.Staging, where)
	case !n.Replies:
		return fmt.Errorf("nic.replies = false collides with %s: an access is complete when its acknowledgement has come; expected true", where)
	case n.InFlight > 0:
		return fmt.Errorf("nic.in_flight of %d collides with %s: what limits accesses is the room in sram.send; expected 0", n.InFlight, where)
	case n.PIOPayload > 0:
		return fmt.Errorf("nic.pio_payload of %v collides with %s: data is always fetched from memory; expected 0", n.PIOPayload, where)
	case m.Packet.Payload > mbc.PageSize:
		return fmt.Errorf("packet.payload of %v collides with %s: a packet has data of one page of %v", m.Packet.Payload, where, units.Bytes(mbc.PageSize))
	case m.Packet.Payload < wordsBytes:
		return fmt.Errorf("packet.payload of %v collides with %s: a packet has the two words of an atomic operation; expected at least %v", m.Packet.Payload, where, units.Bytes(wordsBytes))
	}
	return nil
}

func (s *Section) checkSRAM(m *machine.Machine) error {
	largest := units.Bytes(m.PacketFlits(m.Packet.Payload)) * m.Link.Flit
	for _, ring := range []struct {
		key  string
		size units.Bytes
	}{{"sram.send", s.SRAM.Send}, {"sram.receive", s.SRAM.Receive}} {
		if ring.size < s.SRAM.Reserve+2*largest {
			return fmt.Errorf("%s of %v collides with sram.reserve of %v and packet.payload of %v: requests need room for two packets of %v", ring.key, ring.size, s.SRAM.Reserve, m.Packet.Payload, largest)
		}
	}
	if s.SRAM.Reserve < 2*largest {
		return fmt.Errorf("sram.reserve of %v collides with packet.payload of %v: replies need room for two packets of %v", s.SRAM.Reserve, m.Packet.Payload, largest)
	}
	return nil
}

func (s *Section) checkConditions() error {
	c := &s.Conditions
	for _, share := range []struct {
		key   string
		value float64
		most  float64
	}{{"conditions.absent", c.Absent, 1}, {"conditions.scheduled", c.Scheduled, 1}, {"conditions.errors", c.Errors, maxErrors}} {
		if share.value < 0 || share.value > share.most || math.IsNaN(share.value) {
			return fmt.Errorf("%s is %v; expected 0 to %v", share.key, share.value, share.most)
		}
	}
	if c.Scheduled < minScheduled {
		return fmt.Errorf("conditions.scheduled is %v; expected %v to 1", c.Scheduled, minScheduled)
	}
	_, err := c.moves()
	return err
}

const (
	// maxErrors is the largest probability of an error in a bit. With it hardly any of the
	// longest packets comes through.
	maxErrors = 1e-4
	// minScheduled is the least share of a processor with which a run comes to an end.
	minScheduled = 0.01
)
