package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"musubi/rma"
)

// joined says that this process has been a rank that was started from outside.
var joined atomic.Bool

// joinOutside runs a program as a rank that was started from outside. It returns in rank
// 0, and ends the process in others.
func joinOutside(cfg Config, s starter, program func(rma.Process) ([]byte, error)) ([]byte, error) {
	e, err := readExtern(s)
	if err != nil {
		return nil, err
	}
	if joined.Swap(true) {
		return nil, errTwice
	}
	result, err := e.run(cfg, program)
	if e.rank == 0 {
		return result, err
	}
	var heard *heardError
	switch {
	case errors.As(err, &heard): // somebody else says it
		os.Exit(1)
	case err != nil:
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", e.rank, err)
		os.Exit(1)
	}
	os.Exit(0)
	return nil, nil
}

// heardError is an error of a rank because of a failure that another one tells of.
type heardError struct{ error }

// externJob is a job that was started from outside, as one of its ranks sees it.
type externJob struct {
	extern
	cfg Config
	hub *hub // nil but in rank 0
}

// run does what a rank does, from finding the others to the end of the job.
func (e extern) run(cfg Config, program func(rma.Process) ([]byte, error)) ([]byte, error) {
	if _, err := divide(Config{Ranks: e.size, Transport: cfg.Transport, Bound: cfg.Bound}); err != nil {
		return nil, err
	}
	j := &externJob{extern: e, cfg: cfg}
	result, err := j.run(program)
	if j.hub != nil {
		if err != nil {
			j.hub.fail(verdict{failure: failure{cause: returned, rank: e.rank}})
		}
		j.hub.close()
	}
	return result, err
}

func (j *externJob) run(program func(rma.Process) ([]byte, error)) ([]byte, error) {
	ctx, cancel := entry(context.Background(), j.cfg.bound())
	defer cancel()
	m, stop, err := j.meet(ctx, j.openHub)
	if err != nil {
		return nil, err
	}
	defer stop()
	file, own, err := newRegion(j.size, nil, ringBytesFor(j.size))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	told := spec{Rank: j.rank, Size: j.size, Key: m.Key, Hub: m.Hub, Bound: j.cfg.bound(), Plain: j.cfg.Plain}
	self := peer{Host: told.hostName(), Node: node(), PID: os.Getpid(), Memory: int(file.Fd())}
	c, f, err := enter(told, self)
	if err != nil {
		return nil, err
	}
	defer c.close()
	defer f.close()
	job, err := j.share(own, c.peers)
	if err != nil {
		c.tell(failure{cause: returned, rank: j.rank})
		return nil, err
	}
	r := newRank(job, j.rank)
	r.bound = told.Bound
	if err := r.attend(c, f, told.Bound); err != nil {
		return nil, err
	}
	watching, end := context.WithCancel(context.Background())
	defer end()
	if job.locals()[0] == j.rank {
		go job.keepClock(watching)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	result, err := r.run(program)
	if err != nil && j.isHeard(job) {
		err = &heardError{err}
	}
	return result, err
}

// isHeard reports whether somebody else tells why the job has failed.
func (j *externJob) isHeard(job *region) bool {
	word := job.header.failure.Load()
	f := decodeFailure(word)
	return word != 0 && (f.cause == stuck || f.rank != j.rank && f.rank != 0)
}

// openHub opens the hub of the job.
func (j *externJob) openHub(key []byte, address string) (string, error) {
	id, err := newIdentity(key)
	if err != nil {
		return "", err
	}
	j.hub, err = newHub(id, address, hubConfig{
		size: j.size, bound: j.cfg.bound(), limit: entryTimes * j.cfg.bound(),
		divide: j.divide, failed: func(verdict) {},
	})
	if err != nil {
		return "", err
	}
	return j.hub.Address(), nil
}

// divide puts ranks of the same host into a group.
func (j *externJob) divide(ranks []introduction) []int {
	groups := make([]int, len(ranks))
	known := map[string]int{}
	for rank, i := range ranks {
		name := i.Peer.Node
		if j.cfg.Transport == TransportTCP {
			name = fmt.Sprint(rank)
		}
		if _, found := known[name]; !found {
			known[name] = len(known)
		}
		groups[rank] = known[name]
	}
	return groups
}

// share returns the memory of the group: that of its first rank, which all others open.
// What all must know before they use it each of them writes, all the same.
func (j *externJob) share(own *region, peers []peer) (*region, error) {
	var group []int
	onHost := 0
	for rank, p := range peers {
		if p.Group == peers[j.rank].Group {
			group = append(group, rank)
		}
		if p.Node == peers[j.rank].Node {
			onHost++
		}
	}
	if j.cfg.Transport == TransportShm && len(group) < j.size {
		return nil, fmt.Errorf("live: transport %s between %d ranks, of which %d are on this host; expected %s or %s", TransportShm, j.size, len(group), TransportAuto, TransportTCP)
	}
	job := own
	if owner := group[0]; owner != j.rank {
		unmapMemory(own.bytes)
		var err error
		if job, err = openMemory(peers[owner]); err != nil {
			return nil, fmt.Errorf("live: memory of rank %d on the same host: %w; expected to be allowed to open it, or transport %s", owner, err, TransportTCP)
		}
	}
	job.enlist(group)
	if j.cfg.NoDirect {
		atomic.StoreUint64(&job.header.noDirect, 1)
	}
	if (groupSpec{OnHost: onHost}).sleeps() {
		atomic.StoreUint64(&job.header.sleeps, 1)
	}
	return job, nil
}

// openMemory maps the memory that another process of this host has made.
func openMemory(p peer) (*region, error) {
	file, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", p.PID, p.Memory), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	memory, err := mapMemory(file)
	if err != nil {
		return nil, err
	}
	return open(memory)
}
