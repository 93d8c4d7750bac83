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

const (
	mostStaged    = 2 << 20  // bytes of a rank, at most,
	mostStagedAll = 64 << 20 // and of all ranks together
	longestStaged = 1 << 20  // message
)

// staging is the memory of a rank for messages that are staged. Nil stages none.
type staging struct {
	process rma.SharedMemory
	stages  []*stage
	bytes   int // of all of them
	most    int // 0: no more are made
}

// stage is memory for one message, from the send until its receiver has read it.
type stage struct {
	Request // waits for the answer; Data is the memory, and Segment names it
	used    bool
}

// newStaging returns the staging of a process, nil if it shares no memory.
func newStaging(p rma.Process) *staging {
	shared, ok := p.(rma.SharedMemory)
	if !ok {
		return nil
	}
	return &staging{process: shared, most: min(mostStaged, mostStagedAll/p.Size())}
}

// take returns memory for a message of n bytes to a rank, nil if the message is not staged.
func (s *staging) take(to int32, n int) *stage {
	if s == nil || n > min(longestStaged, s.most) || !s.process.Shares(int(to)) {
		return nil
	}
	for _, x := range s.stages {
		if !x.used && len(x.Data) >= n {
			x.used = true
			return x
		}
	}
	return s.add(1 << bits.Len(uint(n-1)))
}

// isUsed reports whether all stages that there are wait for answers.
func (s *staging) isUsed() bool {
	return s != nil && len(s.stages) > 0 && !slices.ContainsFunc(s.stages, func(x *stage) bool { return !x.used })
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
		if x.used {
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
	x := &stage{used: true}
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

// sendStaged copies the data of a send to a stage, asks its receiver to copy it from there, and completes the send.
func (e *Engine) sendStaged(r *Request, x *stage) error {
	e.staging.process.CopyShared(x.Data[:len(r.Data)], r.Data)
	x.Comm, x.Call, x.Peer = r.Comm, r.Call, r.Peer
	if err := e.askToPull(r, x.Segment, nil, len(r.Data), &x.Request); err != nil {
		x.used = false
		return err
	}
	r.Finish(nil)
	return nil
}

// answerStaged makes a stage free whose message was read, or dropped.
func (e *Engine) answerStaged(x *stage, v *envelope.Fields) error {
	x.used = false
	if v.Kind == envelope.Failed {
		return e.notRead(x.Peer)
	}
	return nil
}
