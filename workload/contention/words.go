package contention

import (
	"errors"

	"musubi/mpi"
	"musubi/rma"
)

// Who changes words.
const (
	ByInterface = "interface"
	ByMessages  = "messages" // a message asks the target's processor
	BySequence  = "sequence" // the target's interface, several words by one request
)

const (
	wordOwner = 0 // rank in whose memory the words lie
	wordSize  = 8 // bytes
)

// Words are words of 8 bytes at the owner, zero at first, that all ranks can change. Each change is
// atomic, and complete when the call returns.
type Words interface {
	// Add adds to a word and returns the old value.
	Add(word int, n int64) (was int64, err error)
	// Replace overwrites a word and returns the old value.
	Replace(word int, by int64) (was int64, err error)
	// CompareSwap overwrites a word if it has the expected value, and returns the old value.
	CompareSwap(word int, expected, by int64) (was int64, err error)
	// AddAll adds to as many words as was has, from a first one on, and stores the old values there.
	AddAll(first int, n int64, was []int64) error
}

// Shared are consecutive words from a first one on.
type Shared struct {
	Words
	First int
	Pause func(tries int) // called after so many failed changes
}

func (s Shared) Add(word int, n int64) (int64, error) { return s.Words.Add(s.First+word, n) }

func (s Shared) Replace(word int, by int64) (int64, error) {
	return s.Words.Replace(s.First+word, by)
}

func (s Shared) CompareSwap(word int, expected, by int64) (int64, error) {
	return s.Words.CompareSwap(s.First+word, expected, by)
}

func (s Shared) AddAll(first int, n int64, was []int64) error {
	return s.Words.AddAll(s.First+first, n, was)
}

// interfaceWords are words that network interfaces change.
type interfaceWords struct {
	p       rma.Atomics
	segment int
}

func (w interfaceWords) at(word int) rma.Address {
	return rma.Address{Rank: wordOwner, Segment: w.segment, Offset: wordSize * word}
}

func (w interfaceWords) Add(word int, n int64) (int64, error) {
	return w.fetch(word, rma.Sum, n)
}

func (w interfaceWords) Replace(word int, by int64) (int64, error) {
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

func (w interfaceWords) CompareSwap(word int, expected, by int64) (int64, error) {
	var was int64
	op, err := w.p.CompareSwap(w.at(word), expected, by, &was)
	if err == nil {
		err = w.p.Wait(op)
	}
	return was, err
}

// messageWords are words in a window that processors change on request.
type messageWords struct{ w *mpi.Window[int64] }

func (w messageWords) Add(word int, n int64) (int64, error) {
	return w.w.FetchAndOp(wordOwner, word, n, mpi.Sum[int64]())
}

func (w messageWords) Replace(word int, by int64) (int64, error) {
	return w.w.FetchAndOp(wordOwner, word, by, mpi.Replace[int64]())
}

func (w messageWords) CompareSwap(word int, expected, by int64) (int64, error) {
	return w.w.CompareAndSwap(wordOwner, word, expected, by)
}

// Both are both kinds of words, and a communicator of the ranks that change them.
type Both struct {
	Comm       *mpi.Comm
	messages   messageWords
	interfaces interfaceWords // without a process if interfaces do not change words
}

// withoutAtomics is a process that hides the optional interfaces of its world.
type withoutAtomics struct{ rma.Process }

// Open makes so many words of each kind. All ranks call it.
func Open(p rma.Process, n int) (*Both, error) {
	bytes := 0
	if p.Rank() == wordOwner {
		bytes = wordSize * n
	}
	a := &Both{}
	var err error
	if a.interfaces.segment, _, err = p.ExposeWindow(bytes); err != nil {
		return nil, err
	}
	a.interfaces.p, _ = p.(rma.Atomics)
	if a.Comm, err = mpi.New(withoutAtomics{p}, mpi.Options{Check: mpi.CheckOff}); err != nil {
		return nil, err
	}
	a.messages.w, err = mpi.AllocateWindow[int64](a.Comm, bytes/wordSize)
	if err != nil {
		return nil, err
	}
	return a, a.messages.w.LockAll()
}

// By returns the words that are changed by interfaces or messages.
func (a *Both) By(name string) (Words, error) {
	switch {
	case name == ByMessages:
		return a.messages, nil
	case a.interfaces.p == nil:
		return nil, errors.New("workload: interfaces of this machine do not change words")
	case name == BySequence:
		s, ok := a.interfaces.p.(rma.Sequencer)
		if !ok {
			return nil, errors.New("workload: requests of this machine have one change of a word each")
		}
		return sequencedWords{a.interfaces, s}, nil
	}
	return a.interfaces, nil
}

// Free ends their use. All ranks call it.
func (a *Both) Free() error {
	if err := a.messages.w.UnlockAll(); err != nil {
		return err
	}
	return a.messages.w.Free()
}
