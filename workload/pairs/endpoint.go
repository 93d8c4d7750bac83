package pairs

import (
	"fmt"
	"slices"

	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// endpoint is the memory with which a rank sends and receives the messages of trials. Each rank
// must make one, at the same position in the order of its segments.
type endpoint struct {
	p        rma.Process
	memory   []ranks.Segment // written by Push of others, by place
	put      []ranks.Segment // written by puts in command queues of others
	windows  []ranks.Segment // written by BOTF of others
	exposed  ranks.Segment   // messages that the network interface fetches
	ordinary []byte          // messages that the processor writes; empty where no trial does
	into     []byte          // destination of copies; empty where no trial has any
	puts     *puts           // nil: this rank sends nothing by a command queue
}

// newEndpoint makes the endpoint of a rank. Ranks that take part in no trial have
// one without memory.
func newEndpoint(p rma.Process, env workload.Env, trials []trial) (*endpoint, error) {
	mine := of(p.Rank(), trials)
	most := largest(mine)
	e := &endpoint{p: p, ordinary: make([]byte, inFlight(only(byBOTF, mine))), into: make([]byte, largest(copied(mine)))}
	e.exposed = ranks.Expose(p, inFlight(mine))
	for range mostPlaces(only(ByPush, trials)) {
		e.memory = append(e.memory, ranks.Expose(p, most))
	}
	for range mostPlaces(only(byQueue, trials)) {
		e.put = append(e.put, ranks.Expose(p, most))
	}
	if err := e.openQueue(only(byQueue, mine)); err != nil {
		return nil, err
	}
	if err := e.exposeWindows(env, only(byBOTF, mine)); err != nil {
		return nil, err
	}
	return e, e.setRings(env, only(byIPush, mine))
}

// memoryOf returns how many bytes of memory the endpoints of all ranks take.
func memoryOf(trials []trial) (bytes int64) {
	places, parts := mostPlaces(only(ByPush, trials))+mostPlaces(only(byQueue, trials)), map[int]bool{}
	for i := range trials {
		parts[trials[i].from], parts[trials[i].to] = true, true
	}
	for rank := range parts {
		mine := of(rank, trials)
		bytes += int64(inFlight(mine) + inFlight(only(byBOTF, mine)) + largest(copied(mine)))
		bytes += int64(places) * int64(largest(mine))
		bytes += int64(inFlight(only(byIPush, mine)) + largest(only(byIPush, mine))) // a receive ring, see setRings
	}
	return bytes
}

// exposeWindows exposes the places for messages by BOTF, of a packet each. They are the last segments,
// because not every rank has them.
func (e *endpoint) exposeWindows(env workload.Env, trials []trial) error {
	bytes := min(largest(trials), int(env.BOTF))
	for range mostPlaces(trials) {
		number, memory, err := e.p.ExposeWindow(bytes)
		if err != nil {
			return err
		}
		e.windows = append(e.windows, ranks.Segment{Number: number, Memory: memory})
	}
	return nil
}

// setRings asks for a receive ring for each partner that sends to one, with room for one message
// more than may be in flight.
func (e *endpoint) setRings(env workload.Env, trials []trial) error {
	if len(trials) == 0 {
		return nil
	}
	bytes := int(workload.PacketData(env))
	for i := range trials {
		bytes = max(bytes, (trials[i].places+1)*trials[i].size)
	}
	var rings rma.Rings
	for partner := range e.p.Size() {
		if partner != e.p.Rank() && slices.ContainsFunc(trials, func(t trial) bool { return t.includes(partner) }) {
			rings.Private = append(rings.Private, rma.Ring{Bytes: bytes, Senders: []int{partner}})
		}
	}
	return e.p.Rings(rings)
}

// message returns the memory of a message to be sent, for one of the places.
func (e *endpoint) message(t *trial, place int) []byte {
	memory := e.exposed.Memory
	if t.by == byBOTF {
		memory = e.ordinary
	}
	return memory[place*t.size:][:t.size]
}

// inbox returns the segment of one of the places for arriving messages.
func (e *endpoint) inbox(t *trial, place int) ranks.Segment {
	switch t.by {
	case byBOTF:
		return e.windows[place]
	case byQueue:
		return e.put[place]
	}
	return e.memory[place]
}

// send starts to send a message to a place of another rank.
func (e *endpoint) send(t *trial, to, place int, message []byte) (rma.Op, error) {
	if t.by == byIPush {
		return e.p.IPush(to, message, rma.DMA)
	}
	at := rma.Address{Rank: to, Segment: e.inbox(t, place).Number}
	if t.by == byQueue {
		return e.puts.post(at, message)
	}
	return e.p.Push(at, message, t.by.into())
}

// wait waits until a message that send has started is complete. op is 0 if there is none.
func (e *endpoint) wait(t *trial, op rma.Op) error {
	if t.by == byQueue {
		return e.puts.wait(op)
	}
	return e.p.Wait(op)
}

// await waits until a message that ends with a mark has arrived at a place, and copies it if the
// trial asks for that.
func (e *endpoint) await(t *trial, place int, mark byte) error {
	in := e.inbox(t, place)
	if err := e.p.WaitUntil(func() bool { return in.Memory[t.size-1] == mark }); err != nil {
		return err
	}
	return e.load(t, in)
}

// load copies a message out of a segment if the trial asks for that.
func (e *endpoint) load(t *trial, from ranks.Segment) error {
	if t.copying == copyNone {
		return nil
	}
	return e.p.Load(from.Number, 0, rma.Layout{}, e.into[:t.size], t.copying.caching())
}

// take takes the next message off the receive ring, and copies it if the trial asks for that.
func (e *endpoint) take(t *trial) error {
	for got := 0; ; {
		a, err := e.p.Next()
		if err != nil {
			return err
		}
		if got+a.Bytes > t.size || a.Last && got+a.Bytes < t.size {
			return fmt.Errorf("a message of %d bytes from rank %d has come; expected one of %d", got+a.Bytes, a.From, t.size)
		}
		var into []byte
		if t.copying != copyNone {
			into = e.into[got:][:a.Bytes]
		}
		if err := e.p.Take(a, into, t.copying.caching()); err != nil || a.Last {
			return err
		}
		got += a.Bytes
	}
}
