package reproduce

// part is a part of the path of a message for which the papers give a time.
type part struct {
	kind      Kind
	name      string
	from, to  string // first and last step
	published float64
}

// addParts appends a cell for each part, in microseconds.
func (b *bench) addParts(item string, d breakdown, parts []part) error {
	for _, p := range parts {
		got, err := d.microseconds(p.from, p.to)
		if err != nil {
			return err
		}
		b.add(p.kind, item, p.name, "us", p.published, got)
	}
	return nil
}

// Parts of the path of a message by BOTF ([C]). Of the two times of the SWIF, one fixes a
// parameter. The other follows from it and the rate of the link.
var (
	botfParts = []part{
		{Derived, "host writes 24 B to a Write Window", "write window", "write window", 0.201},
		{Derived, "host writes a command of 64 bits", "write command", "write command", 0.081},
		{Derived, "command to the Window Controller", "command to Window Controller", "command to Window Controller", 0.010},
		{Calibrated, "SWIF, sending 8 B", "SWIF, sending", "SWIF, sending", 0.188},
		{Derived, "sending 8 B, all", "write window", "SWIF, sending", 0.570},
		{Derived, "SWIF, receiving 8 B", "SWIF, receiving", "SWIF, receiving", 0.312},
		{Derived, "receiving 8 B, all", "SWIF, receiving", "write status", 0.442},
	}
	dearestWrite = []part{{Derived, "host writes 464 B to a Write Window", "write window", "write window", 0.409}}
	fullPacket   = []part{{Derived, "SWIF, sending a packet of 512 B", "SWIF, sending", "SWIF, sending", 0.676}}
)

// dimmnet2BOTFParts are the times of the parts of BOTF.
func dimmnet2BOTFParts(b *bench) error {
	for _, m := range []struct {
		bytes string // of data; a packet has 16 more
		parts []part
	}{{"8", botfParts}, {"448", dearestWrite}, {"496", fullPacket}} {
		d, err := b.breakdown(append([]string{"mechanism=botf", "bytes=" + m.bytes}, hostOfC...)...)
		if err != nil {
			return err
		}
		if err := b.addParts("parts of the way by BOTF ([C])", d, m.parts); err != nil {
			return err
		}
	}
	return nil
}

// Parts of the path of a message by PUSH and IPUSH, with a copy to the host's memory ([I]).
var (
	pushParts = []part{
		{Derived, "host writes a command of 128 bits", "issue command", "issue command", 0.093},
		{Calibrated, "PUSH, sending by the card", "command to Window Controller", "SWIF, sending", 0.428},
		{Derived, "PUSH, receiving by the card", "SWIF, receiving", "receive", 0.472},
		{Derived, "PUSH, writing the status", "write status", "write status", 0.040},
		{Derived, "PUSH, host reads the status record", "read status record", "read status record", 0.312},
		{Derived, "PUSH, host issues the read command", "issue read command", "issue read command", 0.101},
		{Derived, "PUSH, SO-DIMM to Prefetch Window", "memory to Prefetch Window", "memory to Prefetch Window", 0.240},
		{Derived, "PUSH, copy of the window to memory", "copy window to memory", "copy window to memory", 0.605},
	}
	ipushParts = []part{
		{Derived, "IPUSH, receiving by the card", "SWIF, receiving", "receive", 0.512},
		{Derived, "IPUSH, writing the status", "write status", "write status", 0.040},
		{Derived, "IPUSH, SO-DIMM to Prefetch Window", "memory to Prefetch Window", "memory to Prefetch Window", 0.250},
	}
)

// dimmnet2MemoryParts are the times of the parts of PUSH and IPUSH, for 8 bytes.
func dimmnet2MemoryParts(b *bench) error {
	const item = "parts of the way of 8 B by PUSH and IPUSH ([I])"
	push, err := b.breakdown("mechanism=push", "copy=cached", "bytes=8")
	if err != nil {
		return err
	}
	if err := b.addParts(item, push, pushParts); err != nil {
		return err
	}
	ipush, err := b.breakdown("mechanism=ipush", "copy=cached", "bytes=8")
	if err != nil {
		return err
	}
	if err := b.addParts(item, ipush, ipushParts); err != nil {
		return err
	}
	network, err := push.microseconds("network", "network")
	if err != nil {
		return err
	}
	b.add(Derived, item, "switch and wire, without alpha", "us", 0.385, network)
	noticed, err := push.microseconds("notice arrival by polling", "notice arrival by polling")
	b.predict(item, "host notices by polling, mean", "us", noticed)
	return err
}
