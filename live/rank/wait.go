package rank

import (
	"slices"
	"time"

	"musubi/live/shm"
	"musubi/rma"
	"musubi/units"
)

// How long a rank that waits looks again at once, and how often it then yields the
// processor before it sleeps. Where ranks share processors, the one that is waited
// for may need this one, and so may goroutines that serve connections for command queues.
// Found by measuring: a sleep costs some 40 us, a yield less than 1 us.
const (
	spinsAlone  = 2000
	spinsShared = 1
	yields      = 200
)

// A yield that takes longYield has let another program compute for all of its time, if there is one; such a
// yield costs more than to sleep and be woken. Then a rank does not try it again before it
// has slept as often as patientWaits says, unless nobody else wants the processor: then it was other ranks that had something to
// do, such as copies of long messages, and to sleep so often would cost more.
const (
	longYield    = time.Millisecond
	patientWaits = 50
)

// waiter is how far a rank has come in waiting.
type waiter struct {
	rounds  int
	flagged bool          // it has told that it waits
	armed   bool          // it has told that it is about to sleep
	forData bool          // it does not wait for others to take what it has sent
	sleeps  uint32        // for what: shm.ForAll or shm.ForData
	seen    uint64        // wave of the parent's question that it knows
	clock   uint64        // of the job when it was last looked at
	patient int           // sleeps to come without a yield before
	begun   time.Time     // when it began to yield
	nap     time.Duration // that it is about to take; 0: it sleeps until it is woken
	bounded bool          // it waits no longer than a context, and so never counts as stuck
	metered bool          // somebody asks how long it waits
	since   units.Time    // when there was nothing more to do, if so
	waited  units.Time    // in all since somebody asks
}

// await blocks until something is so, and makes progress meanwhile. It fails if the
// job does.
func (r *Rank) await(why shm.Reason, ready func() bool) error {
	r.waiter.rounds = 0
	if r.far != nil {
		r.far.Come() // what was done beside this rank is there before the condition looks at it
	}
	r.commands.LookAlone()
	defer r.commands.LookNoMore()
	for !ready() {
		if r.started && r.poll() {
			r.resume()
			continue
		}
		if err := r.idle(why); err != nil {
			r.resume()
			return err
		}
	}
	r.resume()
	r.depart()
	return nil
}

// awaitData is await where only data that comes can change whether something is so.
func (r *Rank) awaitData(why shm.Reason, ready func() bool) error {
	r.waiter.forData = true
	err := r.await(why, ready)
	r.waiter.forData = false
	return err
}

// awaitArrival blocks until there is an arrival, one of some operations is complete, or something else is so of the
// memory of this rank.
func (r *Rank) awaitArrival(list []rma.Op, or func() bool) error {
	ready := func() bool { return or() || r.hasArrivalOr(list) }
	if len(list) == 0 {
		return r.awaitData(shm.InAwait, ready)
	}
	return r.await(shm.InAwait, ready)
}

// Idle counts from the first call on: reading the clock would take long beside short waits.
func (r *Rank) Idle() units.Time {
	r.waiter.metered = true
	return r.waiter.waited
}

// resume takes back what a rank has told while it waited.
func (r *Rank) resume() {
	w, state := &r.waiter, &r.job.Ranks[r.number]
	if w.metered && w.rounds > 0 {
		w.waited += r.Now() - w.since
	}
	w.rounds, w.begun = 0, time.Time{}
	if w.armed {
		w.armed = false
		state.Sleeping.Store(0)
	}
	if w.flagged {
		w.flagged = false
		state.Waiting.Store(0) // first; see region.quiet
		state.Activity.Add(1)
	}
}

// idle is called when there is nothing to do: the more often, the longer it takes.
func (r *Rank) idle(why shm.Reason) error {
	w, job := &r.waiter, r.job
	if w.metered && w.rounds == 0 {
		w.since = r.Now()
	}
	sleeps := job.Header.Sleeps == 1
	spins := spinsAlone
	if sleeps || r.commands.IsLinked() {
		spins = spinsShared
	}
	if w.rounds++; w.rounds < spins {
		return nil
	}
	if !w.flagged {
		w.flagged = true
		state := &job.Ranks[r.number]
		state.Statement.Begin(job.Header.Clock.Load())
		state.Last.Store(uint32(why))
		state.Waiting.Store(uint32(why))
	}
	if err := r.failed(why); err != nil {
		return err
	}
	r.collectAll()
	switch {
	case w.bounded && r.explainIfAsked():
	case !w.bounded && r.answer():
	case sleeps && (w.rounds > spins+yields || w.patient > 0 && job.Header.Alone.Load() == 0):
		w.nap = 0
		r.sleep()
	case w.armed: // it is about to take a nap
		r.sleep()
	case job.Header.Wait == shm.Spinning:
		r.lookFar()
	default:
		r.yield()
	}
	return nil
}

// A rank that has yielded for longer than longWait takes naps, if nobody needs the processor, to save
// power and the time of other programs. Nobody who sends has to look for that, so a nap ends by itself:
// it is a share of the time waited before, so that it costs little, and no longer than longestNap.
const (
	longWait   = 5 * time.Millisecond
	napShare   = 32
	longestNap = time.Millisecond
)

// tire lets the rank take a nap if it has waited for long.
func (r *Rank) tire(now time.Time) {
	w := &r.waiter
	if w.rounds <= spinsAlone+1 || w.begun.IsZero() {
		w.begun = now
		return
	}
	if waited := now.Sub(w.begun); waited > longWait {
		w.nap = min(longestNap, waited/napShare)
		r.sleep()
	}
}

// yield is giveWay of a rank that waits, and notes if others take long.
func (r *Rank) yield() {
	begin := time.Now()
	r.giveWay()
	if time.Since(begin) > longYield {
		r.moveApart()
		r.waiter.patient = patientWaits
	}
	if h := r.job.Header; h.Sleeps == 0 && h.Wait == shm.Dozing {
		r.tire(begin)
	}
}

// turnsAtOnce is how many turns others have before a rank looks at more than what it waits for.
const turnsAtOnce = 4

// giveTurns lets other ranks have the processor, which they share, until something is so, and reports whether it is. It looks at nothing else, and so
// is for moments: then a wait that takes long has to go on, or one in which another program is likely to compute.
func (r *Rank) giveTurns(until func() bool) bool {
	for range turnsAtOnce {
		if until() {
			return true
		}
		if r.waiter.patient > 0 && r.job.Header.Alone.Load() == 0 {
			return false
		}
		r.yield()
	}
	return until()
}

// moveApart moves a rank to a processor of its own, if the host has enough for the job. Where all processors are busy the
// system may leave two ranks on one, and then each message takes as long as the programs of others compute in between.
// The system may move the rank again.
func (r *Rank) moveApart() {
	if r.job.Header.Sleeps == 0 {
		shm.MoveTo(r.Parent + slices.Index(r.near, r.number))
	}
}

// giveWay lets others have the processor. That may take them long, so the next poll looks
// at the streams, too, whether it is their turn or not.
func (r *Rank) giveWay() {
	shm.Yield()
	r.lookFar()
}

// lookFar lets the next poll look at the streams.
func (r *Rank) lookFar() {
	if r.far != nil {
		r.far.Turn = 0
	}
}

// sleep waits until another rank, or the parent, wakes this one. All that it could
// be woken for is looked at once more in between: first it says that it is about to
// sleep, and when it comes here the next time it does.
func (r *Rank) sleep() {
	w, word := &r.waiter, &r.job.Ranks[r.number].Sleeping
	if !w.armed {
		w.armed = true
		w.sleeps = shm.ForAll
		if w.forData && r.queued == 0 {
			w.sleeps = shm.ForData
		}
		word.Store(w.sleeps)
		word.Load() // what a condition looks at from here on is read after that, also on arm64
		if r.far != nil {
			r.far.PrepareSleep()
		}
		return
	}
	if w.nap > 0 {
		shm.FutexWaitFor(word, w.sleeps, w.nap)
	} else {
		shm.FutexWait(word, w.sleeps)
	}
	w.patient = max(0, w.patient-1)
	w.armed = false
	word.Store(0)
}

// look makes progress once, for methods that do not block.
func (r *Rank) look() error {
	if err := r.ready(); err != nil {
		return err
	}
	if r.far != nil && len(r.near) > 1 {
		r.far.ComeBack(r.Now())
	}
	r.poll()
	r.depart()
	r.collectAll()
	return r.failed(0)
}

// collectAll takes note of operations that targets have failed.
func (r *sender) collectAll() {
	failures := r.job.Ranks[r.number].Failures.Load()
	if failures == r.collected {
		return
	}
	r.collected = failures
	for _, target := range r.near {
		r.out[target].ring.Collect()
	}
}

// answer tells the parent what the rank waits for, and that nothing was to be done
// since it has asked; see watch. It reports whether the question is new; then it is
// answered the next time.
func (r *Rank) answer() (again bool) {
	w, state := &r.waiter, &r.job.Ranks[r.number]
	wave := r.job.Header.Probe.Load()
	if wave != w.seen || r.commands.IsBusy() {
		w.seen = wave
		return true
	}
	if state.Answer.Load() != wave {
		r.explain()
		if r.far != nil {
			r.far.SendAll() // others may wait for acknowledgements that are due
			sent, received := r.far.Packets()
			puts, answers := r.commands.Packets()
			state.Sent.Store(sent + puts)
			state.Received.Store(received + answers)
		}
		state.Answer.Store(wave)
	}
	return false
}

// explainIfAsked tells the parent what the rank waits for if it has asked, but not that nothing was to be done: the wait may end by
// itself. It reports whether the question is new.
func (r *Rank) explainIfAsked() (asked bool) {
	wave := r.job.Header.Probe.Load()
	asked = wave != r.waiter.seen
	r.waiter.seen = wave
	if asked {
		r.explain()
	}
	return asked
}

func (r *Rank) WaitUntil(condition func() bool) error {
	defer shm.LoadFence()
	return r.await(shm.InWaitUntil, r.onPushes(condition))
}

// onPushes returns a condition that looks at another one at first, and then whenever a
// push was taken from a ring; all the time if others can write to windows of this rank, or post notes.
func (r *Rank) onPushes(condition func() bool) func() bool {
	seen := r.pushes - 1
	return func() bool {
		if r.pushes == seen && r.windows == 0 && r.notes == 0 {
			return false
		}
		seen = r.pushes
		return condition()
	}
}

// depart is called when a call ends that may have taken packets; see far.depart.
func (r *member) depart() {
	if r.far != nil {
		r.far.Depart()
	}
}
