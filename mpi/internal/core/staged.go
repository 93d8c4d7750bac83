package core

import (
	"math/bits"
	"slices"

	"musubi/mpi/internal/envelope"
	"musubi/rma"
)

// Where ranks share memory, and processors, a long message is staged: its sender copies it to memory that both reach, and is
// done, so that it need not have a processor again once the receiver has read it; and the receiver copies it from there, which
// takes less than half as long as to read it from process to process, page by page. For the receiver it is a rendezvous.
// Messages that an operation sends at once from the same memory share a stage.

const (
	mostStaged    = 2 << 20  // bytes of a rank, at most,
	mostStagedAll = 64 << 20 // and of all ranks together
	longestStaged = 1 << 20  // message
)

// staging is the memory of a rank for messages that are staged. Nil stages none.
type staging struct {
	process rma.SharedMemory
	stages  []*stage
	bytes   int    // of all of them
	most    int    // 0: no more are made
	shares  bool   // messages that are sent now from the same memory have the same data
	last    *stage // that was filled last of them; nil: none was
	source  []byte // what it was filled with
}

// stage is memory for one message, or several of the same data, from the send until their receivers have read it.
type stage struct {
	Request         // waits for the answers; Data is the memory, and Segment names it
	readers []int32 // who are to read it
}

// newStaging returns the staging of a process, nil if it shares no memory.
func newStaging(p rma.Process) *staging {
	shared, ok := p.(rma.SharedMemory)
	if !ok {
		return nil
	}
	return &staging{process: shared, most: min(mostStaged, mostStagedAll/p.Size())}
}

// take returns memory that has the data of a message to a rank, nil if the message is not staged.
func (s *staging) take(to int32, data []byte) *stage {
	if s == nil || len(data) > min(longestStaged, s.most) || !s.process.Shares(int(to)) {
		return nil
	}
	x := s.last
	if x == nil || len(s.source) != len(data) || &s.source[0] != &data[0] {
		if x = s.free(len(data)); x == nil {
			return nil
		}
		s.process.CopyShared(x.Data[:len(data)], data)
		if s.shares {
			s.last, s.source = x, data
		}
	}
	x.readers = append(x.readers, to)
	return x
}

// free returns memory of at least n bytes that nobody is to read, nil if there is none.
func (s *staging) free(n int) *stage {
	for _, x := range s.stages {
		if len(x.readers) == 0 && len(x.Data) >= n {
			return x
		}
	}
	return s.add(1 << bits.Len(uint(n-1)))
}

// release notes that a rank does not read a stage any more. It reports false if the rank was not to read it.
func (x *stage) release(reader int32) bool {
	i := slices.Index(x.readers, reader)
	if i >= 0 {
		x.readers = slices.Delete(x.readers, i, i+1)
	}
	return i >= 0
}

// isUsed reports whether all stages that there are wait for answers.
func (s *staging) isUsed() bool {
	return s != nil && len(s.stages) > 0 && !slices.ContainsFunc(s.stages, func(x *stage) bool { return len(x.readers) == 0 })
}

// TakeAnswers makes progress before a call sends, if all stages are used: answers may have come, and their stages lie in memory whose pages this
// process has, where a new one would have fresh pages. Its error comes again when the call waits.
func (e *Engine) TakeAnswers() {
	if e.staging.isUsed() {
		e.Progress()
	}
}

// add makes a stage of n bytes, and gives back shorter ones that nobody uses if there are too many. It returns nil if that is not enough.
func (s *staging) add(n int) *stage {
	for i := len(s.stages) - 1; i >= 0 && s.bytes+n > s.most; i-- {
		x := s.stages[i]
		if len(x.readers) > 0 {
			continue
		}
		if s.process.Withdraw(x.Segment) != nil {
			return nil
		}
		s.bytes -= len(x.Data)
		s.stages = append(s.stages[:i], s.stages[i+1:]...)
	}
	if s.bytes+n > s.most {
		return nil
	}
	x := new(stage)
	var err error
	if x.Segment, x.Data, err = s.process.ExposeShared(n); err != nil {
		s.most = 0
		return nil
	}
	s.bytes += n
	s.stages = append(s.stages, x)
	return x
}

// of returns the stage that a request is part of, nil if it is of none.
func (s *staging) of(r *Request) *stage {
	if s == nil {
		return nil
	}
	for _, x := range s.stages {
		if &x.Request == r {
			return x
		}
	}
	return nil
}

// sendStaged asks the receiver of a send to copy its data from a stage, and completes the send.
func (e *Engine) sendStaged(r *Request, x *stage) error {
	x.Comm, x.Call = r.Comm, r.Call
	if err := e.askToPull(r, x.Segment, nil, len(r.Data), &x.Request); err != nil {
		x.release(r.Peer)
		return err
	}
	r.Finish(nil)
	return nil
}

// ShareStages lets messages from the same memory share a stage from here on, or not any more: while nothing is done but that an operation sends, neither
// the program nor messages that have come change that memory.
func (e *Engine) ShareStages(shares bool) {
	if s := e.staging; s != nil {
		s.shares, s.last, s.source = shares, nil, nil
	}
}

// answerStaged deals with the answer of a rank that has read a stage, or dropped its message.
func (e *Engine) answerStaged(from int32, v *envelope.Fields) error {
	if v.Kind == envelope.Failed {
		return e.notRead(from)
	}
	return nil
}
