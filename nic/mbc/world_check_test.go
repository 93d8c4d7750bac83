package mbc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// do does an access, and holds it against the truth.
func (w *memoryWorld) do(host int, d pendingAccess, byItself bool) error {
	h := d.access
	a, err := w.accessOf(d.header.Type, h.ReplyTo)
	if err != nil {
		return err
	}
	if int(h.ToNode) >= len(w.processes) || a.target(int(h.ToNode)) < 0 {
		return fmt.Errorf("access %d is done at virtual node %d; expected one of %d", a.number, h.ToNode, a.to)
	}
	p := w.processes[h.ToNode]
	if h.Type == Multicast && !p.once.Fresh(h.FromNode, h.Sequence) && w.fault == checksAgain {
		return w.finish(host, d, nil)
	}
	if err := w.checkAccess(host, a, &h, byItself); err != nil {
		return err
	}
	a.fate[a.target(p.number)] = done
	result, err := p.access(a, &h, d.payload)
	if err != nil {
		return err
	}
	return w.finish(host, d, result)
}

// checkAccess fails if an access should not be done here and now.
func (w *memoryWorld) checkAccess(host int, a *memoryAccess, h *Header, byItself bool) error {
	p := w.processes[h.ToNode]
	switch {
	case a.fate[a.target(p.number)] != open:
		return fmt.Errorf("access %d is done a second time at process %d", a.number, p.number)
	case p.host != host:
		return fmt.Errorf("access %d is done on host %d; process %d is on %d", a.number, host, p.number, p.host)
	case a.forged || h.To.Access != p.id.Access:
		return fmt.Errorf("access %d is done with access id %#x; that of process %d is %#x", a.number, h.To.Access, p.number, p.id.Access)
	case h.Reach() > 0 && (int(h.At/PageSize) >= len(p.present) || !p.present[h.At/PageSize]):
		return fmt.Errorf("access %d is done to page %d of process %d, which is not present", a.number, h.At/PageSize, p.number)
	case byItself && w.hosts[host].running != p.number:
		return fmt.Errorf("the interface does access %d to process %d while %d runs", a.number, p.number, w.hosts[host].running)
	case h.From != a.by || int(h.FromNode) != a.from || h.At != a.at:
		return fmt.Errorf("access %d to %#x by %+v comes as one to %#x by %+v", a.number, a.at, a.by, h.At, h.From)
	}
	if !a.isPlain() {
		return nil
	}
	if p.latest[a.from] > a.order {
		return fmt.Errorf("access %d of process %d to %d is done after number %d", a.order, a.from, p.number, p.latest[a.from])
	}
	p.latest[a.from] = a.order
	return nil
}

// access reads or changes memory as the packet says, and the shadow as was planned, and
// returns what was there.
func (p *memoryProcess) access(a *memoryAccess, h *Header, data []byte) (result []byte, err error) {
	if h.Reach() == 0 {
		return nil, nil // wherever that is
	}
	was := bytes.Clone(p.memory[h.At:][:h.Reach()])
	shadow := p.shadow[a.at:][:h.Reach()]
	switch h.Type {
	case Read:
		a.expected = bytes.Clone(shadow)
		return was, nil
	case FetchOp, CompareSwap:
		op, err := ParseAtomic(h.Type, data)
		if err != nil {
			return nil, err
		}
		binary.LittleEndian.PutUint64(p.memory[h.At:], uint64(op.Apply(int64(binary.LittleEndian.Uint64(was)))))
		a.expected = bytes.Clone(shadow)
		planned, err := ParseAtomic(a.kind, a.data)
		binary.LittleEndian.PutUint64(shadow, uint64(planned.Apply(int64(binary.LittleEndian.Uint64(shadow)))))
		return was, err
	}
	copy(p.memory[h.At:], data)
	copy(shadow, a.data)
	if !bytes.Equal(data, a.data) {
		return nil, fmt.Errorf("access %d brings %x; expected %x", a.number, data, a.data)
	}
	return nil, nil
}

// refuse does not do an access, which there must be a reason for, and of which the target
// must know if somebody has tried what he may not.
func (w *memoryWorld) refuse(host int, d pendingAccess, result CheckResult) error {
	h := &d.access
	a, err := w.accessOf(d.header.Type, h.ReplyTo)
	if err != nil {
		return err
	}
	p := w.processes[h.ToNode]
	target := a.target(p.number)
	forged := a.forged || h.To.Access != p.id.Access
	if !forged && !a.outside || target < 0 || a.fate[target] == done && h.Type != Multicast {
		return fmt.Errorf("access %d is refused: %v; expected it to be done", a.number, result)
	}
	told := w.hosts[host].gate.Violations(nil, p.id.Process, h.ToNode)
	by := func(o Violation) bool { return o.By == a.by && int(o.Node) == a.from }
	if result == Forged && !slices.ContainsFunc(told, by) || result != Forged && forged {
		return fmt.Errorf("access %d of %+v is refused: %v; process %d is told of %+v", a.number, a.by, result, p.number, told)
	}
	if a.fate[target] == open {
		a.fate[target] = refused
	}
	d.header.Flags |= Refused
	return w.finish(host, d, nil)
}
