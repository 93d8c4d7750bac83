package contention

import (
	"fmt"
	"slices"

	"musubi/mpi"
)

// Kinds of contention.
const (
	Counter = "counter"
	Lock    = "lock"
	Queue   = "queue"
	// Sequence changes several words at once; see several.
	Sequence = "sequence"
)

// Kinds returns all kinds.
func Kinds() []string { return []string{Counter, Lock, Queue, Sequence} }

// Contention is a way of ranks to contend for words that they share.
type Contention interface {
	// Once does an operation, and returns the number of retries.
	Once() (retries int, err error)
	// Check fails if the words do not have the values that so many operations of each rank give.
	// All ranks call it when all have done their operations.
	Check(c *mpi.Comm, operations int) error
}

// WordsOf returns how many words a kind needs.
func WordsOf(kind string, ranks int) int {
	switch kind {
	case Lock:
		return lockWords
	case Queue:
		return queueSlots + ranks
	case Sequence:
		return SequenceWords
	}
	return 1
}

// New returns the part of a rank in a contention for words.
func New(kind string, s Shared, rank, ranks int) Contention {
	switch kind {
	case Lock:
		return &spinLock{words: s, holder: int64(1 + rank)}
	case Sequence:
		return newSeveral(s)
	case Queue:
		return &sharedQueue{words: s, rank: rank, slots: ranks, seen: make([]int64, ranks)}
	}
	return &counter{words: s, last: -1}
}

// allSum returns the sum of n over all ranks.
func allSum(c *mpi.Comm, n int64) (int64, error) {
	sum := []int64{n}
	err := mpi.AllReduce(c, sum, sum, mpi.Sum[int64]())
	return sum[0], err
}

// counter is a word that each rank increments, so that each increment returns another number.
type counter struct {
	words Shared
	last  int64
	sum   int64 // sum of the numbers that this rank has got
}

func (c *counter) Once() (int, error) {
	n, err := c.words.Add(0, 1)
	if err != nil {
		return 0, err
	}
	if n <= c.last {
		return 0, fmt.Errorf("workload: a counter was %d after it was %d", n, c.last)
	}
	c.last, c.sum = n, c.sum+n
	return 0, nil
}

func (c *counter) Check(comm *mpi.Comm, operations int) error {
	all := int64(operations * comm.Size())
	sum, err := allSum(comm, c.sum)
	if err != nil {
		return err
	}
	count, err := c.words.Add(0, 0)
	if err == nil && (count != all || sum != all*(all-1)/2) {
		err = fmt.Errorf("workload: a counter is %d, and the sum of what it was %d; expected %d and %d", count, sum, all, all*(all-1)/2)
	}
	return err
}

// spinLock is a word that is 0 when the lock is free and otherwise names the holder, and a second
// word that the holder increments in two steps.
type spinLock struct {
	words  Shared
	holder int64
}

const lockWords = 2

func (l *spinLock) Once() (retries int, err error) {
	for ; ; retries++ {
		was, err := l.words.CompareSwap(0, 0, l.holder)
		if err != nil {
			return 0, err
		}
		if was == 0 {
			break
		}
		l.words.Pause(retries)
	}
	count, err := l.words.Add(1, 0)
	if err != nil {
		return 0, err
	}
	if _, err := l.words.Replace(1, count+1); err != nil {
		return 0, err
	}
	was, err := l.words.Replace(0, 0)
	if err == nil && was != l.holder {
		err = fmt.Errorf("workload: rank %d holds the lock of rank %d", was-1, l.holder-1)
	}
	return retries, err
}

func (l *spinLock) Check(c *mpi.Comm, operations int) error {
	count, err := l.words.Add(1, 0)
	if all := int64(operations * c.Size()); err == nil && count != all {
		err = fmt.Errorf("workload: holders of a lock have counted to %d; expected %d", count, all)
	}
	return err
}

// sharedQueue is a ring of slots with a count of the words that have been put in and one of those
// taken out. A rank that puts a word in takes a number from the first count, and waits until the
// slot of that number is free for it, that is, until as many words have passed the slot as earlier
// numbers had the same slot. A rank that takes a word out takes a number from the second count, and
// waits until the word with that number is there. So words come out in the order of the first
// count. A rank does one operation after the other, so the queue never has more words than there
// are ranks.
type sharedQueue struct {
	words       Shared
	rank, slots int
	put         int64   // words of this rank so far
	seen        []int64 // by rank: the last of its words that was taken out
	sum         int64   // sum of the words taken out
}

// Words of a queue.
const (
	queuePut   = iota // count of words put in
	queueTaken        // count of words taken out
	queueSlots        // the first slot
)

// A full slot holds the word, and from bit turnShift on the number of words that have passed the
// slot, this one included. A free slot holds the negative of that number.
const turnShift = 42

// entry encodes the n-th word of this rank.
func (q *sharedQueue) entry(n int64) int64 { return n*int64(q.slots) + int64(q.rank) }

func (q *sharedQueue) Once() (retries int, err error) {
	q.put++
	in, err := q.enter(q.entry(q.put))
	if err != nil {
		return 0, err
	}
	word, out, err := q.take()
	if err != nil {
		return 0, err
	}
	n, rank := word/int64(q.slots), word%int64(q.slots)
	if n <= q.seen[rank] {
		return 0, fmt.Errorf("workload: word %d of rank %d came out of a queue after word %d", n, rank, q.seen[rank])
	}
	q.seen[rank] = n
	q.sum += word
	return in + out, nil
}

// place returns the slot of a number, and how many words pass it before.
func (q *sharedQueue) place(number int64) (slot int, turn int64) {
	return queueSlots + int(number%int64(q.slots)), number / int64(q.slots)
}

func (q *sharedQueue) enter(word int64) (retries int, err error) {
	number, err := q.words.Add(queuePut, 1)
	if err != nil {
		return 0, err
	}
	slot, turn := q.place(number)
	for ; ; retries++ {
		if was, err := q.words.CompareSwap(slot, -turn, (turn+1)<<turnShift|word); err != nil || was == -turn {
			return retries, err
		}
		q.words.Pause(retries)
	}
}

func (q *sharedQueue) take() (word int64, retries int, err error) {
	number, err := q.words.Add(queueTaken, 1)
	if err != nil {
		return 0, 0, err
	}
	slot, turn := q.place(number)
	for ; ; retries++ {
		word, err := q.words.Add(slot, 0)
		if err != nil {
			return 0, retries, err
		}
		if word>>turnShift == turn+1 {
			_, err := q.words.Replace(slot, -(turn + 1))
			return word & (1<<turnShift - 1), retries, err
		}
		q.words.Pause(retries)
	}
}

func (q *sharedQueue) Check(c *mpi.Comm, operations int) error {
	var put int64
	for n := range q.put {
		put += q.entry(n + 1)
	}
	put, err := allSum(c, put)
	if err != nil {
		return err
	}
	taken, err := allSum(c, q.sum)
	if err != nil {
		return err
	}
	var words [queueSlots]int64
	for i := range words {
		if words[i], err = q.words.Add(i, 0); err != nil {
			return err
		}
	}
	all := int64(operations * c.Size())
	if taken != put || !slices.Equal(words[:], []int64{all, all}) {
		err = fmt.Errorf("workload: words that sum up to %d were put into a queue and to %d taken out, in %d and %d operations; expected %d", put, taken, words[queuePut], words[queueTaken], all)
	}
	return err
}
