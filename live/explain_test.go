package live

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// entangled lets each rank wait for what another does not do.
func entangled(p rma.Process) ([]byte, error) {
	c, err := mpi.New(p)
	if err != nil {
		return nil, err
	}
	switch c.Rank() {
	case 0:
		_, err = mpi.Receive(c, 1, 7, make([]byte, 1))
	case 1:
		err = mpi.SendSync(c, 2, 3, []byte{1})
	case 2:
		err = mpi.Barrier(c)
	default:
		err = p.WaitUntil(func() bool { return false })
	}
	return nil, err
}

func TestStuckJobsSayWhatTheirProgramsWaitFor(t *testing.T) {
	_, output, err := start(t.Context(), Config{Ranks: 4}, "entangled")
	const ( // in between is a rank that depends on the algorithm
		begins = "rank 0 waits in Receive from rank 1 with tag 7, " +
			"rank 1 waits in SendSync of 1 bytes to rank 2 with tag 3, " +
			"rank 2 waits in Barrier for rank "
		ends = ", rank 3 waits in WaitUntil"
	)
	var stuck *StuckError
	if !errors.As(err, &stuck) || !strings.HasPrefix(stuck.Standing, begins) || !strings.HasSuffix(stuck.Standing, ends) {
		t.Errorf("job ends with %v, want that %s…%s\n%s", err, begins, ends, output)
	}
}

// entangledInBarriers lets the ranks wait in different barriers, and rank 0 for a message.
func entangledInBarriers(p rma.Process) ([]byte, error) {
	c, err := mpi.New(p)
	if err != nil {
		return nil, err
	}
	others, err := c.Split(min(p.Rank(), 1), 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(mpi.Barrier(c), mpi.Barrier(others)); err != nil {
		return nil, err
	}
	switch c.Rank() {
	case 0:
		_, err = mpi.Receive(c, 1, 7, make([]byte, 1))
	case 1:
		err = mpi.Barrier(c)
	default:
		err = mpi.Barrier(others)
	}
	return nil, err
}

func TestRanksSayForWhomTheyWaitInABarrier(t *testing.T) {
	_, output, err := start(t.Context(), Config{Ranks: 4}, "entangled in barriers")
	const want = "rank 0 waits in Receive from rank 1 with tag 7, rank 1 waits in Barrier for rank 0, " +
		"rank 2 waits in Barrier for rank 1 (rank 0 of 3 in its communicator), rank 3 waits in Barrier for rank 1 (rank 0 of 3 in its communicator)"
	var stuck *StuckError
	if !errors.As(err, &stuck) || stuck.Standing != want {
		t.Errorf("job ends with %v, want that %s\n%s", err, want, output)
	}
}

// barriers waits in barriers and reductions without end. It says what has ended that.
func barriers(p rma.Process) ([]byte, error) {
	c, err := mpi.New(p)
	if err != nil {
		return nil, err
	}
	fmt.Println("process", os.Getpid())
	for err == nil {
		sum := []int{1}
		if err = mpi.Barrier(c); err == nil {
			err = mpi.AllReduce(c, sum, sum, mpi.Sum[int]())
		}
		if err == nil && sum[0] != c.Size() {
			err = fmt.Errorf("%d ranks have met", sum[0])
		}
	}
	if e, ok := err.(*mpi.Error); ok {
		err = e.Err
	}
	fmt.Println("told:", err)
	return nil, err
}
