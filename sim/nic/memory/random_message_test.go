package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"musubi/rma"
)

// letters are the messages of one rank: to each other one, and from each, numbered. The last
// one to each is empty but for its number.
type letters struct {
	sent, taken []int
	ended       int // ranks of which the last one has come
}

const letterHead = 4 // bytes in front of the text

// letter is what a message must be: its number, and as much text as that says.
func letter(from, number, n int) []byte {
	text := bytes.Repeat([]byte{byte(from*37 + number)}, n)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(number)), text...)
}

// write sends a message.
func (s *trier) write(to int) error {
	if to == s.me {
		return nil
	}
	op, err := s.IPush(to, s.next(to, 1+s.rng.IntN([]int{2, 200, ordealRegion}[s.rng.IntN(3)])), rma.DMA)
	return s.started(op, err, nothing)
}

// next returns the next message to a rank.
func (s *trier) next(to, n int) []byte {
	l := letter(s.me, s.mail.sent[to], n)
	s.mail.sent[to]++
	return l
}

// read takes the messages that have come.
func (s *trier) read() error {
	for {
		if is, err := s.Poll(); err != nil || !is {
			return err
		}
		if err := s.take(); err != nil {
			return err
		}
	}
}

// take takes the next message, which must be the next one of its sender.
func (s *trier) take() error {
	a, err := s.Next()
	if err != nil {
		return err
	}
	data := make([]byte, a.Bytes)
	if err := s.Take(a, data, rma.Cached); err != nil {
		return err
	}
	if want := letter(a.From, s.mail.taken[a.From], a.Bytes-letterHead); !bytes.Equal(data, want) {
		return fmt.Errorf("message %d of rank %d to rank %d is not as it was sent", s.mail.taken[a.From], a.From, s.me)
	}
	s.mail.taken[a.From]++
	if a.Bytes == letterHead {
		s.mail.ended++
	}
	return nil
}

// readAll tells others that nothing follows, and takes all that is still to come.
func (s *trier) readAll() error {
	for to := range s.o.ranks {
		if to == s.me {
			continue
		}
		op, err := s.IPush(to, s.next(to, 0), rma.DMA)
		if err := errors.Join(err, s.Wait(op)); err != nil {
			return err
		}
	}
	for s.mail.ended < s.o.ranks-1 {
		if err := s.take(); err != nil {
			return err
		}
	}
	return nil
}
