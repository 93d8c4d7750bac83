package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// copier lets switches copy packets.
type copier struct {
	m      *memoryBased
	copyTo []fabric.Target // of the packet that is being handed to the fabric
}

// watchCast sets the clock for the acknowledgement of a packet that switches copy.
func (cp *copier) watchCast(number uint32) {
	f := cp.m.frames.list[number]
	cp.m.timers++
	f.timer = cp.m.timers
	cp.m.Clock.Push(engine.Event{At: cp.m.Clock.Now() + cp.m.Remote.Retry, Kind: evCastAgain, A: number, Args: engine.Args{C: f.timer}})
}

// castAgain sends a packet that switches copy again, if it has not been acknowledged.
func (cp *copier) castAgain(ev engine.Event) {
	f := cp.m.frames.list[ev.A]
	if f.timer != ev.C || f.custody != kept {
		return
	}
	if f.tries++; f.tries > cp.m.Remote.Tries {
		cp.m.givesUp(int(f.from), int(f.to))
		return
	}
	cp.m.use.SentAgain++
	f.copies += len(cp.m.casts.headsOf(f))
	f.h.Flags |= mbc.SentAgain
	cp.m.Fabric.(fabric.Multicaster).MulticastAgain(f.tree, cp.castPacket(ev.A, f, 0))
	cp.watchCast(ev.A)
}

func (cp *copier) castPacket(number uint32, f *frame, ready units.Time) fabric.Packet {
	return fabric.Packet{Src: int(f.from), Flits: f.flits, Class: requests, Tag: uint64(number), Ready: ready, NotifySent: f.custody != kept}
}

// spoiled drops a copy with a wrong bit. If nobody acknowledges it, its target does without.
func (cp *copier) spoiled(number uint32, packet uint32, d *fabric.Delivery) {
	cp.m.use.Corrupt++
	cp.m.Fabric.Release(packet)
	f := cp.m.frames.list[number]
	if c := &cp.m.casts.list[f.cast]; c.how.Unacknowledged {
		head := cp.m.casts.headAt(f, int32(d.Dst))
		cp.m.residents.comesTo(uint16(c.targets[head].at.Rank), int32(d.Dst))
		for t := head; t != none; t = c.targets[t].next {
			cp.m.casts.loses(f, &c.targets[t])
		}
	}
	cp.uncast(number)
}

// uncast notes that a copy is not on a link any more. When all have come, and the source
// need not send them again, nothing is left to do.
func (cp *copier) uncast(number uint32) {
	f := cp.m.frames.list[number]
	if f.copies--; f.copies == 0 && f.custody != kept {
		cp.endCast(number, f)
	}
}

func (cp *copier) endCast(number uint32, f *frame) {
	cast, op, from := f.cast, f.op, f.from
	f.tree = 0
	cp.m.frames.drop(number)
	cp.m.casts.leaveCast(cast, op)
	if cp.m.lossy { // it may have a number that others have waited for
		cp.m.stations[from].sender.unpark()
	}
}

// answerChainBelow answers a copy when all have answered that have it from its head.
func (cp *copier) answerChainBelow(f *frame) {
	tally, err := mbc.ParseTally(f.data)
	if err != nil {
		panic(err) // as for chainBelow
	}
	cp.answerCopy(f, tally)
}

// launchCast hands a packet that switches copy to the fabric. It is kept until all targets
// have acknowledged it, if they do.
func (cp *copier) launchCast(number uint32, ready units.Time) {
	f := cp.m.frames.list[number]
	c := &cp.m.casts.list[f.cast]
	cp.m.frames.checkLength(f)
	cp.copyTo = cp.copyTo[:0]
	heads := cp.m.casts.headsOf(f)
	for _, head := range heads {
		t := &c.targets[head]
		cp.copyTo = append(cp.copyTo, fabric.Target{Dst: int(t.end)})
		cp.m.residents.goesTo(uint16(t.at.Rank), t.end)
	}
	c.left++
	f.copies, f.to = len(heads), c.targets[heads[0]].end
	if !c.how.Unacknowledged {
		f.becomeKept()
	}
	multi := cp.m.Fabric.(fabric.Multicaster)
	packet := cp.castPacket(number, f, ready)
	packet.NotifySent = true
	f.tree = multi.Multicast(packet, cp.copyTo)
	switch {
	case c.how.Unacknowledged:
		multi.Forget(f.tree)
	case cp.m.lossy:
		cp.watchCast(number)
	}
}

// copied makes a frame of a copy that has come to a station.
func (cp *copier) copied(number uint32, d *fabric.Delivery) uint32 {
	own, f := cp.m.frames.take()
	master := cp.m.frames.list[number]
	cp.m.frames.copyFrame(f, master)
	f.becomeBranchCopy()
	f.to, f.branch, f.tree, f.final = int32(d.Dst), d.Tree, 0, false
	f.origin = master.from
	f.member, f.answer = int(cp.m.casts.headAt(master, f.to)), number
	t := &cp.m.casts.list[f.cast].targets[f.member]
	f.h.ToNode, f.place = uint16(t.at.Rank), t.place(f.offset)
	return own
}

// combines marks the tag of an acknowledgement that switches combine with others. Above the
// frame it has that of the packet which is acknowledged.
const combines = 1 << 63

// tallyBytes is the data of such an acknowledgement.
var tallyBytes = len(mbc.AckTally{}.Append(nil))

// answerCopy acknowledges a copy for its target, and for those that have it from there. Frame
// f is that copy, or the acknowledgement of what it was sent on as.
func (cp *copier) answerCopy(f *frame, tally mbc.AckTally) {
	master := cp.m.frames.list[f.answer]
	master.answers.Add(tally)
	c := &cp.m.casts.list[master.cast]
	t := &c.targets[c.targets[f.member].head]
	t.answered, t.answer = f.offset+1, tally
	cp.sendAnswer(f, tally)
}

// sendAnswer sends an acknowledgement that switches combine with those of others.
func (cp *copier) sendAnswer(f *frame, tally mbc.AckTally) {
	number, answer := cp.m.frames.back(f, mbc.CombinedAck, tallyBytes)
	answer.data = tally.Append(answer.data)
	answer.to = cp.m.frames.list[f.answer].from
	answer.h.Route = cp.m.paths.stepsBack(answer.h.Route[:0], answer.from, answer.to)
	cp.m.frames.measure(answer)
	cp.m.Clock.Push(engine.Event{At: cp.m.Clock.Now() + cp.m.Machine.NIC.Reply, Kind: evReply, A: number})
}

// launchAnswer hands an acknowledgement of a copy to the fabric.
func (cp *copier) launchAnswer(number uint32, ready units.Time) {
	f := cp.m.frames.list[number]
	sent := cp.m.Fabric.(fabric.Multicaster).Combine(f.branch, fabric.Packet{
		Flits: f.flits, Class: replies, Tag: combines | uint64(f.answer)<<32 | uint64(number), Ready: ready, NotifySent: true,
	})
	if !sent { // the source knows already
		cp.m.leaves(number)
	}
}

// combined takes the acknowledgement that stands for all targets of a packet.
func (cp *copier) combined(packet uint32, d *fabric.Delivery) {
	master := uint32(d.Tag &^ combines >> 32)
	p := cp.m.frames.list[master]
	if d.Corrupt || p.tree != d.Tree || p.custody != kept { // or it has come before
		cp.m.Fabric.Release(packet)
		return
	}
	cp.m.Fabric.(fabric.Multicaster).Forget(d.Tree)
	number, f := cp.m.frames.take()
	f.op = p.op
	cp.countAnswers(p)
	r := int(cp.m.operations.accesses.At(f.op).initiator)
	f.h.Type = mbc.CombinedAck
	if p.part == converted {
		f.becomeConvertedAnswer()
		r = cp.m.casts.list[p.cast].targets[p.member-1].at.Rank // whose interface has converted it
	}
	f.h.To, f.h.ToNode = cp.m.residents.processes[r].id, uint16(r)
	f.h.From, f.h.FromNode, f.h.ReplyTo = p.h.From, p.h.FromNode, p.h.ReplyTo
	f.h.At = flagPage * mbc.PageSize
	f.from, f.to, f.origin, f.answers = int32(d.Dst), int32(d.Dst), p.origin, p.answers
	f.flits, f.packet = d.Flits, packet
	s := &cp.m.stations[p.from]
	if cp.m.lossy {
		s.sender.ring[requests] -= cp.m.frames.ringBytes(p)
	}
	if p.becomeAcknowledged(); p.copies == 0 {
		cp.endCast(master, p)
	}
	cp.m.residents.goesOut(f)
	cp.m.came(number)
	s.sender.goOn()
}

// countAnswers fails unless all targets of a packet have answered, for which one
// acknowledgement stands.
func (cp *copier) countAnswers(p *frame) {
	want := cp.m.casts.list[p.cast].groupOf(p.member).behind - p.member
	if p.part == converted {
		want++ // the member whose interface has converted it
	}
	if got := int(p.answers.Answered); got != want {
		cp.m.Fail(fmt.Errorf("sim: a multicast to %d is acknowledged when %d have answered", want, got))
	}
}

// answerChain lets the source of a chain that was converted know what all of its members have
// answered.
func (cp *copier) answerChain(f *frame) {
	number, answer := cp.m.frames.back(f, mbc.CombinedAck, tallyBytes)
	answer.data = f.answers.Append(answer.data)
	cp.m.Clock.Push(engine.Event{At: cp.m.Clock.Now() + cp.m.Machine.NIC.Reply, Kind: evReply, A: number})
}
