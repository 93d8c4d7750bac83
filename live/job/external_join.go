package job

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"musubi/live/health"
	"musubi/live/rank"
	"musubi/live/shm"
	"musubi/live/tcp"
)

// joined says that this process has been a rank that was started from outside.
var joined atomic.Bool

// joinOutside makes this process a rank that was started from outside.
func joinOutside(ctx context.Context, cfg Config, s starter) (*Member, error) {
	e, err := readExternal(s)
	if err != nil {
		return nil, err
	}
	if joined.Swap(true) {
		return nil, errTwice
	}
	if _, err := place(Config{Ranks: e.size, Transport: cfg.Transport, Bound: cfg.Bound, Wait: cfg.Wait, Encrypt: cfg.Encrypt}); err != nil {
		return nil, err
	}
	j := &externalJob{external: e, cfg: cfg}
	m := &Member{number: e.rank, returns: e.rank == 0, isHeard: func() bool { return false }}
	m.last = func(_ []byte, err error) error {
		j.closeHub(err)
		return err
	}
	if err := j.join(ctx, m); err != nil {
		return m, m.Leave(nil, err)
	}
	return m, nil
}

// closeHub ends the hub, if it is here, when this rank has ended.
func (j *externalJob) closeHub(err error) {
	if j.hub == nil {
		return
	}
	if err != nil {
		j.hub.Fail(health.Outcome{Failure: health.Failure{Cause: health.Returned, Rank: j.rank}})
	}
	j.hub.Close()
}

// externalJob is a job that was started from outside, as one of its ranks sees it.
type externalJob struct {
	external
	cfg Config
	hub *health.Hub // nil but in rank 0
}

// join finds the other ranks, and takes its place among them.
func (j *externalJob) join(ctx context.Context, m *Member) error {
	entry, cancel := tcp.Entry(ctx, j.cfg.bound())
	m.atEnd(cancel)
	b, stop, err := j.bootstrap(entry, j.openHub)
	if err != nil {
		return err
	}
	m.atEnd(stop)
	file, own, err := shm.NewRegion(j.size, nil, shm.RingBytesFor(j.size))
	if err != nil {
		return err
	}
	m.atEnd(func() { file.Close() })
	self, err := j.self(b.Key)
	if err != nil {
		return err
	}
	protection, err := j.cfg.protection()
	if err != nil {
		return err
	}
	told := spec{Rank: j.rank, Size: j.size, Self: self, Hub: b.Hub, Bound: j.cfg.bound(), Protects: protection, Unix: j.cfg.Transport == TransportUnix}
	peer := tcp.Peer{Host: told.hostName(), Node: health.Node(), PID: os.Getpid(), Memory: int(file.Fd())}
	c, f, err := enter(ctx, told, peer)
	if err != nil {
		return err
	}
	m.atEnd(c.Close)
	m.atEnd(f.Close)
	job, err := j.share(own, c.Peers)
	if err == nil {
		err = j.cfg.obey(&c.Tuning)
	}
	if err != nil {
		c.Tell(health.Failure{Cause: health.Returned, Rank: j.rank})
		return err
	}
	m.isHeard = func() bool { return j.isHeard(job) }
	by := c.Tuning
	if !job.IsWhole() {
		by = by.For(0, j.size, false)
	}
	r := rank.New(job, j.rank)
	r.Bound = told.Bound
	if err := r.Attend(c, f, told.Bound); err != nil {
		return err
	}
	watching, end := context.WithCancel(context.Background())
	m.atEnd(end)
	if job.Locals()[0] == j.rank {
		go health.KeepClock(watching, job)
	}
	runtime.LockOSThread()
	m.atEnd(runtime.UnlockOSThread)
	return m.begin(r, &by)
}

// self returns by what this rank proves who it is. Nobody who has started the ranks issues that, so each
// of them has the job's key.
func (j *externalJob) self(key []byte) (tcp.Credential, error) {
	job, err := tcp.NewAuthority(key)
	if err != nil {
		return tcp.Credential{}, err
	}
	return job.Issue(tcp.Party(j.rank))
}

// isHeard reports whether somebody else tells why the job has failed.
func (j *externalJob) isHeard(job *shm.Region) bool {
	word := job.Header.Failure.Load()
	f := health.DecodeFailure(word)
	return word != 0 && (f.Cause == health.Stuck || f.Rank != j.rank && f.Rank != 0)
}

// openHub opens the hub of the job.
func (j *externalJob) openHub(key []byte, address string) (string, error) {
	job, err := tcp.NewAuthority(key)
	if err != nil {
		return "", err
	}
	id, err := hubOf(job)
	if err != nil {
		return "", err
	}
	by, err := j.cfg.decide()
	if err != nil {
		return "", err
	}
	by = by.For(runtime.NumCPU(), j.size, true) // where ranks are is not known yet
	j.hub, err = health.NewHub(id, address, health.HubConfig{
		Size: j.size, Tuning: by, Bound: j.cfg.bound(), Limit: tcp.EntryTimes * j.cfg.bound(),
		Divide: j.divide, Failed: func(health.Outcome) {},
	})
	if err != nil {
		return "", err
	}
	return j.hub.Address(), nil
}

// divide puts ranks of the same host into a group.
func (j *externalJob) divide(ranks []health.Introduction) []int {
	groups := make([]int, len(ranks))
	known := map[string]int{}
	for rank, i := range ranks {
		name := i.Peer.Node
		if j.cfg.Transport == TransportTCP || j.cfg.Transport == TransportUnix {
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
func (j *externalJob) share(own *shm.Region, peers []tcp.Peer) (*shm.Region, error) {
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
	if j.cfg.Transport == TransportUnix && onHost < j.size {
		return nil, fmt.Errorf("live: transport %s between %d ranks, of which %d are on this host; expected %s or %s", TransportUnix, j.size, onHost, TransportAuto, TransportTCP)
	}
	job := own
	if owner := group[0]; owner != j.rank {
		shm.UnmapMemory(own.Bytes)
		var err error
		if job, err = openMemory(peers[owner]); err != nil {
			return nil, fmt.Errorf("live: memory of rank %d on the same host: %w; expected to be allowed to open it, or transport %s", owner, err, TransportTCP)
		}
	}
	job.Enlist(group)
	if j.cfg.NoDirect {
		atomic.StoreUint64(&job.Header.NoDirect, 1)
	}
	sleeps, otherwise := groupSpec{OnHost: onHost, Wait: j.cfg.Wait}.waits()
	atomic.StoreUint64(&job.Header.Sleeps, sleeps)
	atomic.StoreUint64(&job.Header.Wait, otherwise)
	return job, nil
}

// openMemory maps the memory that another process of this host has made.
func openMemory(p tcp.Peer) (*shm.Region, error) {
	file, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", p.PID, p.Memory), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	memory, err := shm.MapMemory(file)
	if err != nil {
		return nil, err
	}
	return shm.Open(memory)
}
