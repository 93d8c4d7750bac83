package contention

import (
	"fmt"

	"musubi/mpi"
	"musubi/rma"
)

// SequenceWords is the number of words that an operation of kind sequence changes. So many lie in
// one page if the first is at a multiple of them.
const SequenceWords = 8

// addAll starts to add to words by a request for each, and waits for all.
func (w interfaceWords) AddAll(first int, n int64, was []int64) error {
	ops := make([]rma.Op, len(was))
	for i := range was {
		var err error
		if ops[i], err = w.p.FetchOp(w.at(first+i), rma.Sum, n, &was[i]); err != nil {
			return err
		}
	}
	for _, op := range ops {
		if err := w.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

func (w messageWords) AddAll(first int, n int64, was []int64) (err error) {
	for i := 0; i < len(was) && err == nil; i++ {
		was[i], err = w.Add(first+i, n)
	}
	return err
}

// sequencedWords are words that network interfaces change, several by one request.
type sequencedWords struct {
	interfaceWords
	p rma.Sequencer
}

func (w sequencedWords) AddAll(first int, n int64, was []int64) error {
	list := make([]rma.Change, len(was))
	for i := range list {
		list[i] = rma.Change{At: w.at(first + i), Reduction: rma.Sum, Operand: n, Was: &was[i]}
	}
	op, err := w.p.Sequence(list)
	if err != nil {
		return err
	}
	return w.p.Wait(op)
}

// several are words that each rank increments together, so that each increment of a word returns
// another number.
type several struct {
	words     Shared
	was, last []int64
	sum       int64 // of the numbers that this rank has got
}

func newSeveral(s Shared) *several {
	c := &several{words: s, was: make([]int64, SequenceWords), last: make([]int64, SequenceWords)}
	for i := range c.last {
		c.last[i] = -1
	}
	return c
}

func (c *several) Once() (int, error) {
	if err := c.words.AddAll(0, 1, c.was); err != nil {
		return 0, err
	}
	for i, n := range c.was {
		if n <= c.last[i] {
			return 0, fmt.Errorf("workload: word %d of %d was %d after it was %d", i, len(c.was), n, c.last[i])
		}
		c.last[i], c.sum = n, c.sum+n
	}
	return 0, nil
}

func (c *several) Check(comm *mpi.Comm, operations int) error {
	all := int64(operations * comm.Size())
	sum, err := allSum(comm, c.sum)
	if err != nil {
		return err
	}
	for i := range SequenceWords {
		count, err := c.words.Add(i, 0)
		if err != nil {
			return err
		}
		if want := SequenceWords * all * (all - 1) / 2; count != all || sum != want {
			return fmt.Errorf("workload: word %d of %d is %d, and the sum of what they were %d; expected %d and %d", i, SequenceWords, count, sum, all, want)
		}
	}
	return nil
}
