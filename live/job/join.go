package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"

	"musubi/live/health"
	"musubi/live/rank"
	"musubi/live/shm"
	"musubi/live/tcp"
)

// RankVariable is what tells a process that it is a rank of its parent, and which.
const RankVariable = "MUSUBI_LIVE_RANK"

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
	Seen    *Observed // nil unless the launcher wants to know
}

// Inside reports whether this process is a rank of a job, started by its parent or from
// outside.
func Inside() bool {
	_, outside := startedOutside()
	return outside || os.Getenv(RankVariable) != ""
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

// joinParent makes this process the rank that its parent has started it as.
func joinParent(ctx context.Context, cfg Config) (*Member, error) {
	syscall.CloseOnExec(memoryFile)
	syscall.CloseOnExec(reportFile)
	syscall.CloseOnExec(specFile)
	told, err := inheritSpec()
	if err != nil {
		return nil, err // it is not known who else would say it
	}
	m := &Member{observe: told.Observe, returns: told.Launched && told.Rank == 0, isHeard: func() bool { return true }}
	m.last = func(result []byte, err error) error {
		report := outcome{Result: result, Seen: m.seen}
		if err != nil {
			report = outcome{Problem: err.Error()}
		}
		if problem := tell(report); problem != nil {
			return cmp.Or(err, problem)
		}
		if m.returns && err != nil {
			return &ToldError{err}
		}
		return err
	}
	if err := m.join(ctx, cfg, told); err != nil {
		return m, m.Leave(nil, err)
	}
	return m, nil
}

// join takes the place of a rank in the group of its parent.
func (m *Member) join(ctx context.Context, cfg Config, told spec) error {
	if err := cfg.obey(&told.Tuning); err != nil {
		return err
	}
	job, err := inheritMemory()
	if err != nil {
		return err
	}
	if told.Rank < 0 || told.Rank >= job.Size() || !job.IsLocal(told.Rank) {
		return fmt.Errorf("live: rank %d of a job of %d; expected one that shares memory with its parent", told.Rank, job.Size())
	}
	r := rank.New(job, told.Rank)
	r.Bound, r.Parent = told.Bound, told.Parent
	if told.Hub != "" {
		c, f, err := enter(ctx, told, tcp.Peer{Host: told.hostName(), Node: health.Node(), PID: os.Getpid()})
		if err != nil {
			return err
		}
		m.atEnd(c.Close)
		m.atEnd(f.Close)
		if err := r.Attend(c, f, told.Bound); err != nil {
			return err
		}
	}
	heartbeats, stop := context.WithCancel(context.Background())
	m.atEnd(stop)
	health.Heartbeat(heartbeats, job, told.Rank, told.Bound)
	runtime.LockOSThread()
	if told.CPU != noBinding {
		if err := bindThread(told.CPU); err != nil {
			return fmt.Errorf("live: binding rank %d to processor %d: %w", told.Rank, told.CPU, err)
		}
	}
	return m.begin(r, &told.Tuning)
}

// enter reaches the hub of a job, and waits there until all ranks have come.
func enter(ctx context.Context, told spec, self tcp.Peer) (*health.Control, *tcp.Streams, error) {
	id, err := tcp.NewIdentity(told.Self)
	if err != nil {
		return nil, nil, err
	}
	id.Protection = told.Protects
	ctx, cancel := tcp.Entry(ctx, told.Bound)
	defer cancel()
	c, err := health.CallHub(ctx, id, health.HubAt{Rank: told.Rank, Address: told.Hub, Host: told.HubOf, Bound: told.Bound})
	if err != nil {
		return nil, nil, err
	}
	address := net.JoinHostPort(c.Address(), "0")
	if told.Unix {
		address = tcp.AnyUnix
	}
	f, err := tcp.New(id, address, told.Rank, told.Size)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	self.Address = f.Acceptor.Address()
	if err := c.Enter(health.Introduction{Rank: told.Rank, Size: told.Size, Peer: self, Watched: told.isWatched()}); err != nil {
		f.Close()
		c.Close()
		return nil, nil, err
	}
	return c, f, nil
}

// inheritMemory maps the memory that a parent has left.
func inheritMemory() (*shm.Region, error) {
	file := os.NewFile(memoryFile, "memory of a job")
	defer file.Close()
	memory, err := shm.MapMemory(file)
	if err != nil {
		return nil, err
	}
	return shm.Open(memory)
}
