package cmdq

import "crypto/sha256"

func (w *exchangeWorld) Blank() *exchangeWorld { return new(exchangeWorld) }

// copyFrom makes a world a copy of another, reusing its memory.
func (w *exchangeWorld) CopyFrom(o *exchangeWorld) {
	w.exchange = o.exchange
	w.rounds = append(w.rounds[:0], o.rounds...)
	w.ways = append(w.ways[:0], o.ways...)
	for len(w.cqs) < len(o.cqs) {
		w.cqs = append(w.cqs, new(Queue[posted]))
	}
	for i, q := range o.cqs {
		slots, notices := w.cqs[i].slots[:0], w.cqs[i].notices.slots[:0]
		*w.cqs[i] = *q
		w.cqs[i].slots = append(slots, q.slots...)
		w.cqs[i].notices.slots = append(notices, q.notices.slots...)
	}
	for len(w.channels) < len(o.channels) {
		w.channels = append(w.channels, putChannel{})
	}
	w.channels = w.channels[:len(o.channels)]
	for i := range o.channels {
		puts, acks := w.channels[i].puts[:0], w.channels[i].acks[:0]
		w.channels[i] = o.channels[i]
		w.channels[i].puts = append(puts, o.channels[i].puts...)
		w.channels[i].acks = append(acks, o.channels[i].acks...)
	}
}

// fingerprint tells states apart.
func (w *exchangeWorld) Fingerprint() [16]byte {
	b := make([]byte, 0, 512)
	for _, r := range w.rounds {
		b = append(b, byte(r.started), byte(r.waited))
	}
	for _, s := range w.ways {
		b = append(b, byte(s.ready), byte(s.looked), byte(s.data), byte(s.ended))
	}
	for _, q := range w.cqs {
		b = encodeQueue(b, q)
	}
	for from := range w.cqs {
		for to := range w.cqs {
			b = w.encodeChannel(b, from, to)
		}
	}
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

func encodeQueue(b []byte, q *Queue[posted]) []byte {
	b = append(b, byte(q.Write), byte(q.Read), byte(q.Scheduled), byte(q.Done), byte(q.Taken))
	for at := q.Done; at < q.Write; at++ {
		s := q.slot(at)
		b = append(b, s.command.encode(), byte(s.command.round), bit(s.complete))
	}
	b = append(b, byte(q.notices.told), byte(q.notices.taken))
	for at := q.notices.taken; at < q.notices.told; at++ {
		n := q.notices.slots[at%uint64(len(q.notices.slots))]
		b = append(b, byte(n.From), byte(n.Word))
	}
	return b
}

// encodeChannel leaves out empty ways, as they are made when they are first needed.
func (w *exchangeWorld) encodeChannel(b []byte, from, to int) []byte {
	for i := range w.channels {
		c := &w.channels[i]
		if c.from != from || c.to != to || len(c.puts)+len(c.acks) == 0 {
			continue
		}
		b = append(b, byte(from), byte(to), byte(len(c.puts)), byte(len(c.acks)))
		for _, p := range c.puts {
			b = append(b, byte(p.position))
		}
		for _, p := range c.acks {
			b = append(b, byte(p.position))
		}
	}
	return b
}

// encode names a command within its round.
func (c *command) encode() byte { return byte(c.edge)<<3 | byte(c.what) }

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// pop removes the first element; there is one.
func pop[T any](queue *[]T) T {
	q := *queue
	first := q[0]
	*queue = q[:copy(q, q[1:])]
	return first
}
