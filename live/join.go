package live

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"musubi/rma"
)

// rankVariable is what tells a process that it is a rank of its parent, and which.
const rankVariable = "MUSUBI_LIVE_RANK"

// File descriptors that ranks inherit.
const (
	memoryFile = 3
	reportFile = 4
	specFile   = 5
)

// outcome is what a rank tells its parent when its program has returned.
type outcome struct {
	Problem string // empty if it has succeeded
	Result  []byte
}

// Inside reports whether this process is a rank of a job, started by its parent or from
// outside.
func Inside() bool {
	_, outside := startedOutside()
	return outside || os.Getenv(rankVariable) != ""
}

// join runs a program as a rank, and ends the process; but it returns in rank 0 of a job
// that was launched.
func join(program func(rma.Process) ([]byte, error)) ([]byte, error) {
	syscall.CloseOnExec(memoryFile)
	syscall.CloseOnExec(reportFile)
	syscall.CloseOnExec(specFile)
	job, err := inheritSpec()
	if err != nil {
		return nil, err // it is not known who else would say it
	}
	result, err := runRank(job, program)
	told := outcome{Result: result}
	if err != nil {
		told = outcome{Problem: err.Error()}
	}
	problem := tell(told)
	switch {
	case job.Launched && job.Rank == 0 && err != nil && problem == nil:
		return nil, &ToldError{err}
	case job.Launched && job.Rank == 0:
		return result, err
	case problem != nil || err != nil:
		os.Exit(1)
	}
	os.Exit(0)
	return nil, nil
}

// tell sends an outcome to the parent.
func tell(o outcome) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(o); err != nil {
		return err
	}
	file := os.NewFile(reportFile, "report to the parent")
	if _, err := file.Write(b.Bytes()); err != nil {
		return err
	}
	return file.Close()
}

// runRank does what a rank does, from the mapping of the shared memory to the end of
// the job.
func runRank(told spec, program func(rma.Process) ([]byte, error)) ([]byte, error) {
	job, err := inheritMemory()
	if err != nil {
		return nil, err
	}
	if told.Rank < 0 || told.Rank >= job.size() || !job.isLocal(told.Rank) {
		return nil, fmt.Errorf("live: rank %d of a job of %d; expected one that shares memory with its parent", told.Rank, job.size())
	}
	r := newRank(job, told.Rank)
	r.bound = told.Bound
	if told.Hub != "" {
		c, f, err := enter(told, peer{Host: told.hostName(), Node: node(), PID: os.Getpid()})
		if err != nil {
			return nil, err
		}
		defer c.close()
		defer f.close()
		if err := r.attend(c, f, told.Bound); err != nil {
			return nil, err
		}
	}
	beating, stop := context.WithCancel(context.Background())
	defer stop()
	go job.beat(beating, told.Rank, told.Bound)
	runtime.LockOSThread()
	if told.CPU != noBinding {
		if err := bindThread(told.CPU); err != nil {
			return nil, fmt.Errorf("live: binding rank %d to processor %d: %w", told.Rank, told.CPU, err)
		}
	}
	return r.run(program)
}

// entryTimes is how many times the bound ranks have to come, as they are started one
// after the other, and to reach the hub and the ranks of other groups.
const entryTimes = 6

// entry returns the end of the time that a rank has to reach others, within that of another
// context.
func entry(ctx context.Context, bound time.Duration) (context.Context, context.CancelFunc) {
	if bound == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, entryTimes*bound)
}

// attend lets a rank take its place among those of other groups.
func (r *rank) attend(c *control, f *far, bound time.Duration) error {
	r.control = c
	f.id.refusals.show(&r.job.ranks[r.number].refused)
	c.attach(r.job)
	err := r.connect(f, c.peers, bound)
	if err != nil {
		r.fail(failure{cause: returned, rank: r.number})
	}
	return err
}

// enter reaches the hub of a job, and waits there until all ranks have come.
func enter(told spec, self peer) (*control, *far, error) {
	id, err := newIdentity(told.Key)
	if err != nil {
		return nil, nil, err
	}
	id.plain = told.Plain
	ctx, cancel := entry(context.Background(), told.Bound)
	defer cancel()
	c, err := callHub(ctx, id, told)
	if err != nil {
		return nil, nil, err
	}
	f, err := newFar(id, net.JoinHostPort(c.address(), "0"), told.Rank, told.Size)
	if err != nil {
		c.close()
		return nil, nil, err
	}
	self.Address = f.gate.Address()
	if err := c.enter(introduction{told.Rank, told.Size, self, told.isWatched()}); err != nil {
		f.close()
		c.close()
		return nil, nil, err
	}
	return c, f, nil
}

// inheritMemory maps the memory that a parent has left.
func inheritMemory() (*region, error) {
	file := os.NewFile(memoryFile, "memory of a job")
	defer file.Close()
	memory, err := mapMemory(file)
	if err != nil {
		return nil, err
	}
	return open(memory)
}

// run runs a program, from the meeting of the ranks to their end.
func (r *rank) run(program func(rma.Process) ([]byte, error)) ([]byte, error) {
	if err := r.meet(); err != nil {
		return nil, err
	}
	r.start, r.started = time.Now(), true
	defer r.commands.deputy.close()
	result, err := program(r)
	if err != nil {
		r.fail(failure{cause: returned, rank: r.number})
		return nil, err
	}
	return result, r.end()
}

// meet waits until all ranks of the group are there, and finds out with them whether they
// may copy from each other's memory.
func (r *rank) meet() error {
	h := r.job.header
	allowAccess()
	state := &r.job.ranks[r.number]
	state.pid.Store(uint32(os.Getpid()))
	state.probed.Store(uint64(uintptr(unsafe.Pointer(probed))))
	if err := r.assemble(&h.joined); err != nil {
		return err
	}
	if h.noDirect == 1 || !r.mayCopy() {
		h.refused.Add(1)
	}
	if err := r.assemble(&h.probed); err != nil {
		return err
	}
	r.direct = h.refused.Load() == 0
	return nil
}

// assemble counts this rank and waits until all of its group are counted.
func (r *rank) assemble(c *atomic.Uint32) error {
	all := uint32(r.job.header.local)
	if c.Add(1) == all {
		r.job.wakeAll()
	}
	return r.await(inStart, func() bool { return c.Load() == all })
}

// probed is what other ranks try to read.
var probed = new([8]byte)

// mayCopy tries to read memory of the next rank of the group.
func (r *rank) mayCopy() bool {
	var word [8]byte
	group := r.job.locals()
	next := group[(slices.Index(group, r.number)+1)%len(group)]
	return readFar(r.pidOf(next), word[:], r.job.ranks[next].probed.Load()) == nil
}

// end serves the other ranks until all have ended.
func (r *rank) end() error {
	r.job.ranks[r.number].ended.Store(1)
	h := r.job.header
	last := h.ended.Add(1) == uint32(h.local)
	switch {
	case r.control != nil:
		r.control.line.send(message{Ended: true})
	case last:
		h.allEnded.Store(1)
		r.job.wakeAll()
	}
	return r.await(inEnd, func() bool { return h.allEnded.Load() == 1 })
}
