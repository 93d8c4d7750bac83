package live

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// refusal is why something that came over the network was turned away.
type refusal int

const (
	notTLS          refusal = iota // other bytes than TLS
	tooSlow                        // has not proved itself in time
	crowded                        // the oldest of too many that had not proved themselves
	noCertificate                  // a stranger: has not even tried to prove itself
	anotherJob                     // has proved another key
	brokenHandshake                // anything else before it had proved itself
	badHello                       // says something about itself that cannot be
	foreignGroup                   // packet of another process group
	strayPacket                    // packet for another process
	malformed                      // not a packet, or one that means nothing
	outOfOrder                     // packet that was taken before, or that comes too early
	brokenStream                   // bytes that were changed on the way
	refusalKinds
)

var refusalNames = [refusalKinds]string{
	"not TLS", "too slow", "crowded out", "no certificate", "another job", "broken handshake", "bad hello",
	"foreign group", "stray packet", "malformed packet", "packet out of order", "broken stream",
}

func (w refusal) String() string { return refusalNames[w] }

// refusedError is an error for a reason that is counted.
type refusedError struct {
	why refusal
	err error
}

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// reasonOf returns the reason of an error, or another one if it has none.
func reasonOf(err error, otherwise refusal) refusal {
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
	counts [refusalKinds]int
	logged [refusalKinds]time.Time
	shown  *refusalCounts // where others see the counts; nil: nowhere
}

// refusalCounts are counts by reason, in memory that several processes share.
type refusalCounts [refusalKinds]atomic.Uint64

// show lets others see the counts, from now on.
func (r *refusals) show(to *refusalCounts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = to
	for why, n := range r.counts {
		to[why].Store(uint64(n))
	}
}

// byReason returns the counts that are not 0, by the name of the reason.
func (c *refusalCounts) byReason() map[string]int {
	m := map[string]int{}
	for why := range c {
		if n := c[why].Load(); n > 0 {
			m[refusal(why).String()] = int(n)
		}
	}
	return m
}

// note counts a refusal, and logs it unless that was done for the same reason a
// moment ago.
func (r *refusals) note(why refusal, peer string, err error) {
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

// byReason returns the counts that are not 0, by the name of the reason.
func (r *refusals) byReason() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := map[string]int{}
	for why, n := range r.counts {
		if n > 0 {
			m[refusal(why).String()] = n
		}
	}
	return m
}
