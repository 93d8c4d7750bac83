package dma

import (
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// staging is how many packets of one transfer a network interface holds: one on
// the link, one being fetched.
const staging = 2

// Roles of packets.
const (
	roleData    = iota // part of a PUSH or IPUSH, or of the answer to a PULL
	roleReply          // the last data of a push has been written
	roleAsk            // a PULL asks for data, or a word is to be changed
	roleBarrier        // the word of a member of a group; see barrier.go
	roleWord           // what was in a word before it was changed
	roleBits    = 3
)

// tag packs what a packet belongs to and its role into fabric.Packet.Tag.
func tag(id, role uint32) uint64 { return uint64(id)<<roleBits | uint64(role) }

// tagID and tagRole are the inverse of tag.
func tagID(tag uint64) uint32   { return uint32(tag >> roleBits) }
func tagRole(tag uint64) uint32 { return uint32(tag & (1<<roleBits - 1)) }

// sender is the sending side of all ports: it takes what programs ask for, fetches data and
// hands packets to the fabric.
type sender struct {
	*interfaces
	*Section
	transfers *transfers
	bulks     *bulks
	signals   fabric.Signaller // nil if all packets that arrive are events
	order     pushOrder
	places    []places              // by port
	waiting   []host.FIFO[incoming] // the receiver's
	ahead     fabric.Prefetcher     // nil if the fabric is none
}

// places is the room of a port for transfers that programs ask for.
type places struct {
	waiting host.FIFO[uint32] // transfers that wait for one
	taken   int
}

// command takes a transfer into the initiator's network interface.
func (s *sender) command(id uint32) {
	p := &s.places[s.transfers.At(id).home]
	if limit := s.Machine.NIC.InFlight; limit > 0 && p.taken >= limit {
		p.waiting.Push(id)
		return
	}
	p.taken++
	s.begin(id)
}

// leave frees the place of a transfer, and begins the next that waits for one.
func (s *sender) leave(port int32) {
	p := &s.places[port]
	p.taken--
	if p.waiting.Len() > 0 {
		p.taken++
		s.begin(p.waiting.Pop())
	}
}

// stageOf names the stage of a mechanism by which the interface starts.
var stageOf = [...]string{rma.DMA: "nic.start", rma.BOTF: "nic.pio_start"}

// begin starts a transfer that has a place in the network interface.
func (s *sender) begin(id uint32) {
	t := s.transfers.At(id)
	delay := s.Machine.NIC.Start
	if t.By == rma.BOTF {
		delay = s.Machine.NIC.PIOStart
	}
	delay += s.Machine.Bus.Latency // the command
	ev := engine.Event{At: s.Clock.Now() + delay, Kind: t.begins(), A: id}
	s.TellStage(s.NodeOf[t.initiator], "start", stageOf[t.By], s.Clock.Now(), ev.At)
	if (t.Action == host.Pull || t.Action == host.Change) && !s.transfers.loops(t) {
		ev.Kind, ev.B = evReply, roleAsk
		s.Clock.Push(ev)
		return
	}
	if t.Action == host.Push || t.Action == host.IPush {
		s.order.enqueue(id, t)
	}
	t.fetching = true
	s.Clock.Push(ev)
}

// fetch reads the data of a transfer's next packet over the bus of its source. A push by PIO has its data in the
// network interface already. fetch reports whether that packet, of n bytes, is to be injected at once.
func (s *sender) fetch(id uint32) (n int, ready bool) {
	t := s.transfers.At(id)
	if t.behind {
		t.held = true
		return 0, false
	}
	if t.Action == host.IPush && t.fetched == 0 {
		if err := s.Ranks[t.Target].Admits(t.initiator, t.size); err != nil {
			s.abandon(id, err)
			return 0, false
		}
	}
	t.bulk = s.bulks.carries(t)
	n = s.transfers.packet(t, t.fetched)
	if t.Action == host.Pull {
		s.transfers.read(id, n)
	}
	at := s.Clock.Now()
	switch {
	case t.bulk:
		at = s.bulks.read(id)
	case t.By != rma.BOTF:
		at, t.ready = s.buses[t.sends()].Read(at, n, s.transfers.pieces(id, t.reads(), t.fetched, n))
		if s.Machine.NIC.Staging != "cut-through" {
			at = t.ready
		}
	}
	t.fetched += n
	at = max(at, t.notBefore)
	if ready = s.bulks.fabric != nil && at == s.Clock.Now(); !ready {
		s.Clock.Push(engine.Event{At: at, Kind: evInject, A: id, Args: engine.Args{B: uint32(n)}})
	}
	if t.Action != host.Pull && t.command == nil && t.fetched == t.size && !t.bulk {
		s.order.dequeue(t, at)
	}
	return n, ready
}

// abandon ends a push of which nothing has been sent.
func (s *sender) abandon(id uint32, err error) {
	t := s.transfers.At(id)
	s.FailOp(t.op, err)
	s.order.dequeue(t, max(s.Clock.Now(), t.notBefore))
	s.Clock.Push(engine.Event{At: s.Clock.Now(), Kind: evDone, A: id})
}

// inject hands a fetched packet to the fabric and goes on fetching. It returns false for a
// packet that does not leave its network interface: who receives it does so at once.
func (s *sender) inject(id uint32, n int) bool {
	t := s.transfers.At(id)
	t.fetching = false
	t.staged++
	from, to := t.source(), t.sink()
	switch loops := s.transfers.loops(t); {
	case loops && t.command != nil:
		s.Clock.Push(engine.Event{At: s.Clock.Now() + s.Queue.Self, Kind: evLooped, A: id})
		return true
	case loops:
		return false
	}
	p := fabric.Packet{
		Src: s.Hosts[from], Out: s.engineOf(t.sends()), Dst: s.Hosts[to], In: s.engineOf(t.receives()),
		Class: s.classOf(t), Tag: tag(id, roleData), Ready: t.ready, NotifySent: t.fetched < t.size || t.command != nil,
	}
	if t.bulk {
		s.bulks.send(id, p)
		return true
	}
	p.Flits = s.Machine.PacketFlits(units.Bytes(n))
	s.Fabric.Send(p)
	s.fetchMore(id)
	return true
}

// classOf returns the class in which the data of a transfer travels.
func (s *sender) classOf(t *transfer) int {
	if t.Action == host.Pull {
		return s.Machine.Switch.Classes - 1
	}
	return 0
}

// fetchMore fetches another packet if there is one and room for it. The bus is free again before the
// last data has come from the chipset.
func (s *sender) fetchMore(id uint32) {
	t := s.transfers.At(id)
	if t.fetched < t.size && t.staged < staging && !t.fetching {
		t.fetching = true
		onBus := t.ready - s.buses[t.sends()].ReadLatency(t.fetched)
		s.Clock.Push(engine.Event{At: max(s.Clock.Now(), onBus), Kind: evFetch, A: id})
	}
}

// left makes the place of a packet in its network interface free.
func (s *sender) left(id uint32) {
	s.transfers.At(id).staged--
	s.fetchMore(id)
}

// answer lets the initiator of a transfer know that all data is written.
func (s *sender) answer(id uint32) {
	t, now := s.transfers.At(id), s.Clock.Now()
	switch {
	case t.Action == host.Pull || s.transfers.loops(t):
		s.transfers.complete(id, now)
	case !s.Machine.NIC.Replies:
		s.Clock.Push(engine.Event{At: now, Kind: evDone, A: id})
	default:
		s.TellStage(s.NodeOf[t.Target], "reply", "nic.reply", now, now+s.Machine.NIC.Reply)
		if s.signals != nil && s.Machine.NIC.Reply == 0 {
			s.reply(id, roleReply)
			return
		}
		s.Clock.Push(engine.Event{At: now + s.Machine.NIC.Reply, Kind: evReply, A: id, Args: engine.Args{B: roleReply}})
	}
}

// reply sends the reply to a push, the question of a PULL, or the request or the answer of
// the change of a word.
func (s *sender) reply(id, role uint32) {
	t := s.transfers.At(id)
	p := fabric.Packet{
		Src: s.Hosts[t.initiator], Out: s.engineOf(t.home), Dst: s.Hosts[t.Target], In: s.engineOf(t.away),
		Flits: s.Machine.Packet.Reply, Tag: tag(id, role),
	}
	switch {
	case t.Action == host.Change && role == roleAsk:
		p.Flits = s.Machine.PacketFlits(wordOperands)
	case role == roleWord:
		p.Flits = wordFlits(s.Machine)
	}
	to := t.away
	if role != roleAsk {
		p.Src, p.Dst, p.Out, p.In = p.Dst, p.Src, p.In, p.Out
		p.Class, to = s.Machine.Switch.Classes-1, t.home
	}
	if s.mayBeSignal(&p, to, t) {
		if d, sent := s.Signal(s.signals, p); sent {
			s.arrives(id, d)
			return
		}
	}
	s.Fabric.Send(p)
}

// mayBeSignal reports whether a packet for a port may go as a signal: if it has no data, and nothing waits at the port
// that would hold it back.
func (s *sender) mayBeSignal(p *fabric.Packet, to int32, t *transfer) bool {
	return s.signals != nil && t.Action != host.Change && (p.Class > 0 || s.waiting[to].Len() == 0)
}

// arrives sees to what follows the arrival of a signal.
func (s *sender) arrives(id uint32, d fabric.Delivery) {
	received := s.Machine.NIC.Receive
	s.TellStage(s.NodeAt[d.Dst], "receive", "nic.receive", d.Header, d.Header+received)
	if tagRole(d.Tag) == roleReply {
		s.transfers.complete(id, d.Tail)
		return
	}
	s.transfers.At(id).fetching = true
	s.Clock.Push(engine.Event{At: d.Tail + received, Kind: evFetch, A: id})
}
