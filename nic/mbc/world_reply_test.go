package mbc

import (
	"bytes"
	"fmt"
)

// finish answers the source, or passes a chain on.
func (w *memoryWorld) finish(host int, d pendingAccess, result []byte) error {
	h := d.header
	isRefused := h.Flags&Refused != 0
	switch h.Type {
	case Write:
		if h.Flags&Confirm == 0 {
			return nil
		}
		return w.sendReply(host, h, Ack, nil)
	case Read:
		return w.sendReply(host, h, Answer, result)
	case FetchOp, CompareSwap:
		return w.sendReply(host, h, Result, result)
	case Chain:
		return w.passChain(host, h, d.data, isRefused)
	}
	return w.answerCast(h, isRefused)
}

// sendReply sends a packet back to where the source is believed to be.
func (w *memoryWorld) sendReply(host int, h Header, t Type, data []byte) error {
	h.Reply(t, len(data))
	return w.send(host, w.processes[h.ToNode].host, h, data, none)
}

// reply takes what comes back to the source of an access.
func (w *memoryWorld) reply(host int, h Header, data []byte) error {
	if int(h.ToNode) >= len(w.processes) {
		return fmt.Errorf("a %v comes for virtual node %d", h.Type, h.ToNode)
	}
	p := w.processes[h.ToNode]
	if p.host != host {
		return w.send(host, w.hosts[host].forward[h.ToNode], h, data, none)
	}
	a, err := w.accessOf(h.Type, h.At)
	if err != nil {
		return err
	}
	if a.acked && a.kind == Multicast {
		return nil // sent again without need
	}
	if err := w.checkReply(p, a, &h, data); err != nil {
		return err
	}
	a.acked = true
	known := w.fault != acksAnyEpoch && p.fence.Acked(a.epoch)
	for epoch := uint32(0); w.fault == acksAnyEpoch && epoch <= a.epoch && !known; epoch++ {
		known = p.fence.Acked(epoch) // the oldest that has any
	}
	if !known {
		return fmt.Errorf("the memory barrier of process %d does not know access %d", p.number, a.number)
	}
	if a.isPlain() && p.table.Acked(uint16(a.to[0])) {
		if err := w.release(p, uint16(a.to[0])); err != nil {
			return err
		}
	}
	return p.checkBarriers()
}

// checkReply fails if a reply does not say what has become of an access.
func (w *memoryWorld) checkReply(p *memoryProcess, a *memoryAccess, h *Header, data []byte) error {
	refusals := AckTally{Answered: uint16(len(a.to))}
	for i, f := range a.fate {
		if f == refused {
			one := TallyOf(uint16(a.to[i]), true)
			one.Answered = 0
			refusals.Add(one)
		}
	}
	switch {
	case a.acked:
		return fmt.Errorf("access %d is acknowledged twice", a.number)
	case a.from != p.number:
		return fmt.Errorf("access %d of process %d is acknowledged to %d", a.number, a.from, p.number)
	case !a.ended():
		return fmt.Errorf("access %d is acknowledged before it is done", a.number)
	case a.isPlain() && (h.Flags&Refused != 0) != (refusals.Refused > 0):
		return fmt.Errorf("access %d has fate %d, and is acknowledged with flags %#x", a.number, a.fate, h.Flags)
	case a.isPlain() && refusals.Refused == 0 && !bytes.Equal(data, a.expected):
		return fmt.Errorf("access %d brings back %x; expected %x", a.number, data, a.expected)
	case a.isPlain():
		return nil
	}
	tally, err := ParseTally(data)
	if err == nil && tally != refusals {
		err = fmt.Errorf("multicast %d is acknowledged with %+v; expected %+v", a.number, tally, refusals)
	}
	return err
}
