package card

import (
	"math/rand/v2"

	"musubi/nic/dimmnet"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// processor is what the processors of hosts do: they write to windows of their cards, give them
// commands, poll, and copy.
type processor struct {
	*cards
	sender  *sender
	readers []units.Time // when the Prefetch Unit of each card has done what reads it was told
	phases  *rand.Rand   // of polling loops
}

// lookForArrival returns how the processor polls for what the card tells.
func (w *processor) lookForArrival() host.Look {
	look := w.lookAtMemory()
	if w.Processor.Arrivals == arrivalsInRegister {
		look = w.lookAtRegister(w.Processor.Poll)
	}
	if look.Period > 0 {
		look.Phase = units.Time(w.phases.Int64N(int64(look.Period)))
	}
	return look
}

// arrivalsInRegister is a value of processor.arrivals.
const arrivalsInRegister = "register"

// lookAtMemory returns how the processor polls memory of the card: each poll sees what is there in
// its middle, so that a change is noticed after 0.5 to 1.5 polls.
func (w *processor) lookAtMemory() host.Look {
	period := w.Card.Scale(w.Processor.Poll)
	return host.Look{Period: period, Sample: period / 2}
}

// lookAtRegister returns how the processor polls a register, which answers early in a poll.
func (w *processor) lookAtRegister(poll units.Time) host.Look {
	period := w.Card.Scale(poll)
	return host.Look{Period: period, Sample: period * units.Time(w.Processor.Sample) / 100}
}

// gathered returns the data of a request in one piece.
func gathered(q *host.Request) []byte {
	if q.Near().IsContiguous() {
		return q.Local
	}
	data := make([]byte, q.Near().Bytes())
	access := *q.Near()
	access.Gather(data, q.Local, 0)
	return data
}

// writeWindow writes data, with a header, to the next Write Window, as soon as that
// is free, and issues the command for it.
func (w *processor) writeWindow(r *host.Process, o order, data []byte) {
	u, p := &w.users[r.Rank()], &w.Processor
	o.rank, o.window = int32(r.Rank()), u.windows.next()
	w.awaitWindow(r, o.window)
	write := w.Card.Scale(w.writeTime(len(data), u.cache.touch(data)))
	r.Sleep(write)
	cost := p.Command64
	if o.role == toMemory {
		cost = p.Command128
	}
	command := w.Card.Scale(cost)
	r.Sleep(command)
	if o.role == fromWindow {
		w.TellTime("write window", write)
		w.TellTime("write command", command)
	}
	own := &u.windows.list[o.window]
	own.data = append(own.data[:0], data...)
	u.regs.SetBusy(o.window, true)
	w.issue(o)
}

// writeTime is the time to write a packet with n bytes of data to a window.
func (w *processor) writeTime(n int, missed bool) units.Time {
	p := &w.Processor
	t := p.Write.Of(units.Bytes(dimmnet.HeaderLines*dimmnet.LineSize + n))
	if missed {
		t = t * units.Time(p.WriteCold) / 100
	}
	return t
}

// awaitWindow polls the register of busy windows until one has been read out,
// unless the processor has seen that already.
func (w *processor) awaitWindow(r *host.Process, window int) {
	u := &w.users[r.Rank()]
	busy := u.isBusy(window)
	if !busy && u.windows.list[window].free <= r.Looked {
		return
	}
	r.Look(w.lookAtRegister(w.Processor.PollRegister))
	if busy {
		u.windows.awaited = window
		r.Block("waiting for a Write Window")
		u.windows.awaited = none
	} else {
		r.Sleep(r.Sees() - w.Clock.Now())
	}
	r.Saw()
}

// stage brings data that the card cannot reach into its memory, a window at a time.
func (w *processor) stage(r *host.Process, id uint32, data []byte) {
	for s := dimmnet.NewSegmenter(len(data), int(w.Machine.Packet.Payload)); ; {
		offset, n, _, ok := s.Next()
		if !ok {
			return
		}
		w.writeWindow(r, order{op: id, role: toMemory}, data[offset:][:n])
	}
}

// issue sends a command on its way to the card.
func (w *processor) issue(o order) {
	home := w.users[o.rank].card
	w.sender.at[home].coming.Push(o)
	delay := w.Card.Scale(w.Card.Command)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + delay, Kind: evCommand, A: uint32(home)})
	if o.role != toMemory {
		w.TellTime("command to Window Controller", delay)
	}
}
