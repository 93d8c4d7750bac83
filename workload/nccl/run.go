package nccl

import (
	"encoding/binary"
	"errors"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// slots is how many chunks a connection holds (NCCL_STEPS).
const slots = 8

// runner carries out the programs of a rank.
type runner struct {
	p        rma.Alarm
	combiner rma.Combiner
	*plan
	buffer, staging, padding []byte
	segment                  int // of staging; that of padding is the next

	arrived, taken []int // chunks of each connection
	streams        map[target]*stream
	next, finished []int // of each program: step to begin, and steps done
	outbox         [][]outgoing
	busy           []units.Time // until when a program passes on what it has
	networks       []running
	combining      []bool // programs with a network operation under way
	ops            []rma.Op
	words          map[uint64][]byte
	err            error
}

// stream is how far a rank has sent to a connection, and how many slots of it are in use.
type stream struct{ sent, used int }

// outgoing is a step whose data is to be sent, not before a time.
type outgoing struct {
	step *step
	at   units.Time
}

// running is a network operation that is under way.
type running struct {
	op      rma.Op
	program int
}

// credit marks words that give a slot back.
const credit = 1 << 63

// newRunner returns a runner with a buffer. All ranks make one at the same place of their segments.
func newRunner(p rma.Process, buffer, staging, padding []byte, segment int) (*runner, error) {
	alarm, waits := p.(rma.Alarm)
	if !waits {
		return nil, errors.New("workload nccl: this world cannot wait until a time")
	}
	r := &runner{p: alarm, buffer: buffer, staging: staging, padding: padding, segment: segment, words: map[uint64][]byte{}}
	r.combiner, _ = p.(rma.Combiner)
	return r, nil
}

// run carries out a plan.
func (r *runner) run(p *plan) error {
	r.plan = p
	n := len(p.programs)
	r.arrived, r.taken = make([]int, p.connections), make([]int, p.connections)
	r.next, r.finished, r.outbox, r.streams = make([]int, n), make([]int, n), make([][]outgoing, n), map[target]*stream{}
	r.busy, r.combining = make([]units.Time, n), make([]bool, n)
	r.p.Compute(p.base)
	for r.err == nil && !r.done() {
		if !r.progress() && r.err == nil {
			r.wait()
		}
	}
	for _, op := range r.ops {
		r.err = errors.Join(r.err, r.p.Wait(op))
	}
	r.ops = r.ops[:0]
	return r.err
}

// done reports whether all steps are done, and all slots have been given back.
func (r *runner) done() bool {
	for i := range r.programs {
		if r.finished[i] < len(r.programs[i]) {
			return false
		}
	}
	for _, s := range r.streams {
		if s.used > 0 {
			return false
		}
	}
	return true
}

// progress begins the steps that can begin, and sends what can be sent. It reports whether there was any.
func (r *runner) progress() (any bool) {
	for i := range r.programs {
		for r.err == nil && r.begin(i) {
			any = true
		}
		for r.err == nil && len(r.outbox[i]) > 0 && r.send(i, r.outbox[i][0]) {
			r.outbox[i] = r.outbox[i][1:]
			any = true
		}
	}
	return any
}

// begin begins the next step of a program, if it can.
func (r *runner) begin(i int) bool {
	if r.next[i] == len(r.programs[i]) {
		return false
	}
	s := &r.programs[i][r.next[i]]
	if s.after >= 0 && r.finished[s.after] < s.done || len(r.outbox[i]) >= slots {
		return false
	}
	for _, from := range s.receive {
		if r.arrived[from.connection] == r.taken[from.connection] {
			return false
		}
	}
	for _, from := range s.receive {
		r.take(s, from)
	}
	r.next[i]++
	if len(s.send) == 0 && s.network == nil {
		r.finished[i]++
		return true
	}
	r.busy[i] = max(r.busy[i], r.p.Now())
	if r.rate > 0 {
		r.busy[i] += units.Time(float64(s.bytes) / r.rate * float64(units.Second))
	}
	r.outbox[i] = append(r.outbox[i], outgoing{s, r.busy[i] + s.delay})
	return true
}

// take takes a chunk out of its slot and gives that back.
func (r *runner) take(s *step, from source) {
	if rma.HasBytes(r.p) {
		in := r.staging[r.slot(from.connection, r.taken[from.connection]):][:s.bytes]
		if out := r.buffer[s.into:][:s.bytes]; s.reduce {
			add(in, out)
		} else {
			copy(out, in)
		}
	}
	r.taken[from.connection]++
	r.tell(from.rank, uint64(from.connection)|credit)
}

// add combines bytes, as sums.
func add(from, into []byte) {
	for i, b := range from {
		into[i] += b
	}
}

// slot returns the place of a chunk of a connection.
func (r *runner) slot(connection, chunk int) int { return (connection*slots + chunk%slots) * r.chunk }

// send sends what a step has, if it is time and there are slots.
func (r *runner) send(i int, o outgoing) bool {
	if o.at > r.p.Now() {
		return false
	}
	s := o.step
	if s.network != nil {
		return !r.combining[i] && r.combine(i, s)
	}
	for _, to := range s.send {
		if r.streams[to] == nil {
			r.streams[to] = &stream{}
		}
		if r.streams[to].used == slots {
			return false
		}
	}
	for _, to := range s.send {
		st := r.streams[to]
		r.push(rma.Address{Rank: to.rank, Segment: r.segment, Offset: r.slot(to.connection, st.sent)}, r.buffer[s.from:][:s.bytes])
		r.push(rma.Address{Rank: to.rank, Segment: r.segment + 1}, r.padding[:r.overhead(s.bytes)])
		r.tell(to.rank, uint64(to.connection))
		st.sent, st.used = st.sent+1, st.used+1
	}
	r.finished[i]++
	return true
}

func (r *runner) push(to rma.Address, data []byte) {
	if len(data) > 0 {
		op, err := r.p.Push(to, data, rma.DMA)
		r.started(op, err)
	}
}

// tell sends a word.
func (r *runner) tell(to int, word uint64) {
	message := r.words[word]
	if message == nil {
		message = binary.LittleEndian.AppendUint64(nil, word)
		r.words[word] = message
	}
	op, err := r.p.IPush(to, message, rma.DMA)
	r.started(op, err)
}

func (r *runner) started(op rma.Op, err error) {
	r.err = errors.Join(r.err, err)
	r.ops = append(r.ops, op)
}

// combine starts this rank's part in a network operation.
func (r *runner) combine(i int, s *step) bool {
	memory := r.buffer[s.from:][:s.bytes]
	op, err := r.combiner.Combine(rma.Combination{
		Key: s.network.key, From: s.network.from, To: s.network.to, Bytes: s.bytes, Data: memory, Into: memory, Apply: add,
	})
	r.err = errors.Join(r.err, err)
	r.networks, r.combining[i] = append(r.networks, running{op, i}), true
	return true
}

// wait waits until a chunk or a slot comes, a network operation is complete, or it is time to send.
func (r *runner) wait() {
	until := units.Never
	for _, o := range r.outbox {
		if len(o) > 0 && o[0].at > r.p.Now() {
			until = min(until, o[0].at)
		}
	}
	ops := make([]rma.Op, len(r.networks))
	for i := range ops {
		ops[i] = r.networks[i].op
	}
	if until == units.Never {
		r.err = errors.Join(r.err, r.p.Await(ops...))
	} else {
		r.err = errors.Join(r.err, r.p.AwaitBefore(until, func() bool { return false }, ops...))
	}
	r.networks = slices.DeleteFunc(r.networks, func(n running) bool {
		done, err := r.p.Test(n.op)
		r.err = errors.Join(r.err, err)
		if done {
			r.finished[n.program]++
			r.combining[n.program] = false
		}
		return done
	})
	for r.err == nil {
		some, err := r.p.Poll()
		r.err = errors.Join(r.err, err)
		if !some {
			return
		}
		r.word()
	}
}

// word takes a word that has come.
func (r *runner) word() {
	var message [8]byte
	a, err := r.p.Next()
	if err == nil {
		err = r.p.Take(a, message[:a.Bytes], rma.Cached)
	}
	if err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	word := binary.LittleEndian.Uint64(message[:])
	if word&credit == 0 {
		r.arrived[word]++
		return
	}
	if s := r.streams[target{a.From, int(word &^ credit)}]; s != nil {
		s.used--
	}
}
