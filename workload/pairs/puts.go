package pairs

import (
	"errors"

	"musubi/rma"
)

// puts is a command queue in normal mode that sends messages. Commands are numbered from 1 on, and
// complete in this order.
type puts struct {
	p             rma.Process
	queue         rma.Queue
	posted, taken rma.Op // commands, and completions
}

// openQueue opens a command queue, if there are trials by one.
func (e *endpoint) openQueue(trials []trial) error {
	if len(trials) == 0 {
		return nil
	}
	c, ok := e.p.(rma.Commander)
	if !ok {
		return errors.New("this process has no command queues")
	}
	q, err := c.OpenQueue(rma.QueueConfig{Engine: rma.Any})
	e.puts = &puts{p: e.p, queue: q}
	return err
}

// post sends a message, and takes completions of others while this one travels.
func (s *puts) post(to rma.Address, message []byte) (rma.Op, error) {
	for s.posted-s.taken >= rma.Op(s.queue.Entries()) {
		if err := s.take(); err != nil {
			return 0, err
		}
	}
	if err := s.queue.Post(rma.Command{Put: true, To: to, Data: message, TargetQueue: rma.QueueAddress{Rank: to.Rank}}); err != nil {
		return 0, err
	}
	s.posted++
	for s.queue.HasEvent() {
		if err := s.take(); err != nil {
			return 0, err
		}
	}
	return s.posted, nil
}

// take takes the next completion, when it is there.
func (s *puts) take() error {
	if err := s.await(); err != nil {
		return err
	}
	s.taken++
	_, err := s.queue.Completion()
	return err
}

// await waits until there is a completion to take.
func (s *puts) await() error {
	if s.queue.HasEvent() {
		return nil
	}
	return s.p.WaitUntil(s.queue.HasEvent)
}

// wait waits until a command is complete. The next post takes its completion, as that needs the
// processor.
func (s *puts) wait(op rma.Op) error {
	for op > s.taken+1 {
		if err := s.take(); err != nil {
			return err
		}
	}
	if op <= s.taken {
		return nil
	}
	return s.await()
}

// close gives the command queue back, if there is one.
func (e *endpoint) close() error {
	s := e.puts
	if s == nil {
		return nil
	}
	for s.taken < s.posted {
		if err := s.take(); err != nil {
			return err
		}
	}
	return s.queue.Close()
}
