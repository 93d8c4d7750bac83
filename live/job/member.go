package job

import (
	"context"
	"fmt"
	"os"
	"slices"

	"musubi/live/rank"
	"musubi/rma"
	"musubi/tuning"
)

// Member is this process as a rank of a job, from Join to Leave.
type Member struct {
	Process rma.Process // nil if it could not join

	number  int
	observe string // what for; see Config
	watch   *observer
	seen    *Observed // when the program has ended
	returns bool      // Main returns in it
	rank    interface{ End(err error) error }
	undo    []func() // of what Join has done
	isHeard func() bool
	last    func(result []byte, err error) error // tells others what has become of the rank
	heard   bool                                 // they, or somebody else, say why it has failed
}

// Join makes this process, which was started as a rank of a job, that rank. It returns when the
// ranks of its host have joined. The goroutine that calls it keeps its thread, and is the one that
// uses the process and calls Leave. If it fails the rank has left; the member is nil if it is not
// known which rank this is.
func Join(ctx context.Context, cfg Config) (*Member, error) {
	if os.Getenv(RankVariable) != "" {
		return joinParent(ctx, cfg)
	}
	if s, outside := startedOutside(); outside {
		return joinOutside(ctx, cfg, s)
	}
	return nil, errNotStarted
}

var errNotStarted = fmt.Errorf("live: Join in a process that nobody has started as a rank; expected %s and %s in its environment, or Run", ScriptRank, ScriptSize)

// begin lets the program of a rank begin when all ranks of its host are there. They choose by the same measurements.
func (m *Member) begin(r *rank.Rank, by *tuning.Choice) error {
	m.rank = r
	r.Tune(by.Fastest(), by.IsNamed())
	if err := r.Begin(); err != nil {
		return err
	}
	m.Process = r
	m.watch = observe(r, m.observe)
	return nil
}

// atEnd lets something be done when the rank leaves, in the opposite order.
func (m *Member) atEnd(do func()) { m.undo = append(m.undo, do) }

// Leave says what has become of the program of the rank, and waits until those of all others have
// ended, which it serves meanwhile. It returns the error, or one of theirs.
func (m *Member) Leave(result []byte, err error) error {
	if m.Process != nil {
		if m.watch != nil {
			m.seen = m.watch.ended(m.Process.Now())
		}
		err = m.rank.End(err)
	}
	m.heard = m.isHeard()
	for _, undo := range slices.Backward(m.undo) {
		undo()
	}
	return m.last(result, err)
}

// Main is Run of which the ranks do not return, but for one that has nobody to hand its result to:
// rank 0 of a job that was launched, or that has no parent. The other processes end.
func Main(ctx context.Context, cfg Config, program func(rma.Process) (result []byte, err error)) ([]byte, error) {
	if !Inside() {
		return start(ctx, cfg)
	}
	m, result, err := run(ctx, cfg, program)
	if m == nil || m.returns {
		return result, err
	}
	m.exit(err)
	return nil, nil
}

// exit ends the process of a rank.
func (m *Member) exit(err error) {
	if err == nil {
		os.Exit(0)
	}
	if !m.heard {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", m.number, err)
	}
	os.Exit(1)
}

// run is join, program, leave.
func run(ctx context.Context, cfg Config, program func(rma.Process) ([]byte, error)) (*Member, []byte, error) {
	m, err := Join(ctx, cfg)
	if err != nil {
		return m, nil, err
	}
	result, err := program(m.Process)
	if err = m.Leave(result, err); err != nil {
		result = nil
	}
	return m, result, err
}
