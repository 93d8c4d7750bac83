package tcp

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Refusal is why something that came over the network was turned away.
type Refusal int

const (
	NotTLS          Refusal = iota // other bytes than TLS
	TooSlow                        // has not proved itself in time
	CrowdedOut                     // the oldest of too many that had not proved themselves
	NoCertificate                  // an unauthenticated peer: has not even tried to prove itself
	AnotherJob                     // has proved a key that the job's key has not signed
	AnotherParty                   // has proved to be another process of the job than it should be
	BrokenHandshake                // anything else before it had proved itself
	BadHello                       // says something about itself that cannot be
	ForeignGroup                   // packet of another process group
	StrayPacket                    // packet for another process
	Malformed                      // not a packet, or one that means nothing
	OutOfOrder                     // packet that was taken before, or that comes too early
	BrokenStream                   // bytes that were changed on the way
	RefusalKinds
)

var refusalNames = [RefusalKinds]string{
	"not TLS", "too slow", "crowded out", "no certificate", "another job", "another rank", "broken handshake", "bad hello",
	"foreign group", "stray packet", "malformed packet", "packet out of order", "broken stream",
}

func (w Refusal) String() string { return refusalNames[w] }

// refusedError is an error for a reason that is counted.
type refusedError struct {
	why Refusal
	err error
}

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// reasonOf returns the reason of an error, or another one if it has none.
func reasonOf(err error, otherwise Refusal) Refusal {
	var refused *refusedError
	if errors.As(err, &refused) {
		return refused.why
	}
	return otherwise
}

// logEvery is how often a line about refusals for one reason is logged at most. The
// first is logged at once.
const logEvery = time.Second

// refusals counts and logs what a process turns away.
type refusals struct {
	log *slog.Logger

	mu     sync.Mutex
	counts [RefusalKinds]int
	logged [RefusalKinds]time.Time
	shown  []atomic.Uint64 // where others see the counts; nil: nowhere
}

// Show lets others see the counts, from now on.
func (r *refusals) Show(to []atomic.Uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = to
	for why, n := range r.counts {
		to[why].Store(uint64(n))
	}
}

// RefusalsByReason returns counts that are not 0, by the name of the reason.
func RefusalsByReason(c []atomic.Uint64) map[string]int {
	m := map[string]int{}
	for why := range RefusalKinds {
		if n := c[why].Load(); n > 0 {
			m[Refusal(why).String()] = int(n)
		}
	}
	return m
}

// Note counts a refusal, and logs it unless that was done for the same reason a
// moment ago.
func (r *refusals) Note(why Refusal, peer string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[why]++
	if r.shown != nil {
		r.shown[why].Store(uint64(r.counts[why]))
	}
	now := time.Now()
	if now.Sub(r.logged[why]) < logEvery {
		return
	}
	r.logged[why] = now
	r.log.Warn("refused", "reason", why, "peer", peer, "so_far", r.counts[why], "error", err)
}

// ByReason returns the counts that are not 0, by the name of the reason.
func (r *refusals) ByReason() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := map[string]int{}
	for why, n := range r.counts {
		if n > 0 {
			m[Refusal(why).String()] = n
		}
	}
	return m
}
