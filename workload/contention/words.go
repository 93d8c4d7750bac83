package workload

import (
	"errors"

	"musubi/mpi"
	"musubi/rma"
)

// wordOwner is the rank in whose memory the words lie.
const wordOwner = 0

// words are words of 8 bytes at the owner, zero at first, that all ranks can change. Each change is
// atomic, and complete when the call returns.
type words interface {
	// add adds to a word and returns the old value.
	add(word int, n int64) (was int64, err error)
	// replace overwrites a word and returns the old value.
	replace(word int, by int64) (was int64, err error)
	// compareSwap overwrites a word if it has the expected value, and returns the old value.
	compareSwap(word int, expected, by int64) (was int64, err error)
	// addAll adds to as many words as was has, from a first one on, and stores the old values there.
	addAll(first int, n int64, was []int64) error
}

// sharedWords are consecutive words from a first one on.
type sharedWords struct {
	words
	first int
	pause func(tries int) // called after so many failed changes
}

func (s sharedWords) add(word int, n int64) (int64, error) { return s.words.add(s.first+word, n) }

func (s sharedWords) replace(word int, by int64) (int64, error) {
	return s.words.replace(s.first+word, by)
}

func (s sharedWords) compareSwap(word int, expected, by int64) (int64, error) {
	return s.words.compareSwap(s.first+word, expected, by)
}

func (s sharedWords) addAll(first int, n int64, was []int64) error {
	return s.words.addAll(s.first+first, n, was)
}

// interfaceWords are words that network interfaces change.
type interfaceWords struct {
	p       rma.Atomics
	segment int
}

func (w interfaceWords) at(word int) rma.Address {
	return rma.Address{Rank: wordOwner, Segment: w.segment, Offset: wordSize * word}
}

func (w interfaceWords) add(word int, n int64) (int64, error) {
	return w.fetch(word, rma.Sum, n)
}

func (w interfaceWords) replace(word int, by int64) (int64, error) {
	return w.fetch(word, rma.Replace, by)
}

func (w interfaceWords) fetch(word int, r rma.Reduction, operand int64) (int64, error) {
	var was int64
	op, err := w.p.FetchOp(w.at(word), r, operand, &was)
	if err == nil {
		err = w.p.Wait(op)
	}
	return was, err
}

func (w interfaceWords) compareSwap(word int, expected, by int64) (int64, error) {
	var was int64
	op, err := w.p.CompareSwap(w.at(word), expected, by, &was)
	if err == nil {
		err = w.p.Wait(op)
	}
	return was, err
}

// messageWords are words in a window that processors change on request.
type messageWords struct{ w *mpi.Window[int64] }

func (w messageWords) add(word int, n int64) (int64, error) {
	return w.w.FetchAndOp(wordOwner, word, n, mpi.Sum[int64]())
}

func (w messageWords) replace(word int, by int64) (int64, error) {
	return w.w.FetchAndOp(wordOwner, word, by, mpi.Replace[int64]())
}

func (w messageWords) compareSwap(word int, expected, by int64) (int64, error) {
	return w.w.CompareAndSwap(wordOwner, word, expected, by)
}

// wordsOfAll are both kinds of words, and a communicator of the ranks that change them.
type wordsOfAll struct {
	comm     *mpi.Comm
	messages messageWords
	atomics  interfaceWords // without a process if interfaces do not change words
}

// withoutAtomics is a process that hides the optional interfaces of its world.
type withoutAtomics struct{ rma.Process }

func newWordsOfAll(p rma.Process, n int) (*wordsOfAll, error) {
	bytes := 0
	if p.Rank() == wordOwner {
		bytes = wordSize * n
	}
	a := &wordsOfAll{}
	var err error
	if a.atomics.segment, _, err = p.ExposeWindow(bytes); err != nil {
		return nil, err
	}
	a.atomics.p, _ = p.(rma.Atomics)
	if a.comm, err = mpi.New(withoutAtomics{p}, mpi.Options{}); err != nil {
		return nil, err
	}
	a.messages.w, err = mpi.AllocateWindow[int64](a.comm, bytes/wordSize)
	if err != nil {
		return nil, err
	}
	return a, a.messages.w.LockAll()
}

// by returns the words that are changed by interfaces or messages.
func (a *wordsOfAll) by(name string) (words, error) {
	switch {
	case name == byMessages:
		return a.messages, nil
	case a.atomics.p == nil:
		return nil, errors.New("workload: interfaces of this machine do not change words")
	case name == bySequence:
		s, ok := a.atomics.p.(rma.Sequencer)
		if !ok {
			return nil, errors.New("workload: requests of this machine have one change of a word each")
		}
		return sequencedWords{a.atomics, s}, nil
	}
	return a.atomics, nil
}

func (a *wordsOfAll) free() error {
	if err := a.messages.w.UnlockAll(); err != nil {
		return err
	}
	return a.messages.w.Free()
}
