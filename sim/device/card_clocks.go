package device

import (
	"musubi/nic"
	"musubi/sim/machine"
	"musubi/units"
)

// cardPath is a passage through a card, step by step.
type cardPath struct {
	name  string
	steps []machine.Step
	total int // clocks for one line of data
}

func newCardPath(name string, path any) cardPath {
	p := cardPath{name: name, steps: machine.Steps(path)}
	for _, s := range p.steps {
		p.total += s.Clocks
	}
	return p
}

// cardClocks are the passages through a card, and times that follow from them.
type cardClocks struct {
	botfSend, windowReceive, pushReceive, ipushReceive cardPath

	retest units.Time // of the room in a ring, once there is more, by who manages it
}

func newCardClocks(m *machine.Machine) cardClocks {
	i := &m.IPushReceive
	return cardClocks{
		botfSend:      newCardPath("botf-send", &m.BOTFSend),
		windowReceive: newCardPath("receive-window", &m.WindowReceive),
		pushReceive:   newCardPath("push-receive", &m.PushReceive),
		ipushReceive:  newCardPath("ipush-receive", &m.IPushReceive),
		retest:        m.Ring.Manage + m.Card.Clocks(i.Pointers+i.FreeStart+i.FreeEnd+i.SpaceTest),
	}
}

// further returns the lines that n bytes have beyond the first.
func further(n int) int { return max(0, (n+nic.LineSize-1)/nic.LineSize-1) }
