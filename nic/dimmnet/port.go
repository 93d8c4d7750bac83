package dimmnet

// Port is one process's use of an interface. A privileged process sets it up when
// the job starts; the process itself has no way to change it. The group and the
// sender that a packet claims are therefore true, whatever a user wrote.
type Port struct {
	group, process uint16
	foreign, stray uint64
}

// NewPort is the port of a process in a process group.
func NewPort(group, process uint16) Port { return Port{group: group, process: process} }

// Stamp overwrites the process group and the sender of a packet that the process
// sends.
func (p *Port) Stamp(h *Header) { h.Group, h.From = p.group, p.process }

// Admit reports whether a packet that has arrived may reach the process: it is of
// its group and addressed to it. Packets that may not are counted.
func (p *Port) Admit(h *Header) bool {
	switch {
	case h.Group != p.group:
		p.foreign++
		return false
	case h.To != p.process:
		p.stray++
		return false
	}
	return true
}

// Foreign returns how many packets of other process groups have been refused.
func (p *Port) Foreign() uint64 { return p.foreign }

// Stray returns how many packets of this group for another process have been
// refused.
func (p *Port) Stray() uint64 { return p.stray }

// Process returns the process id.
func (p *Port) Process() uint16 { return p.process }
