package mpi_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Kinds of envelopes; see the format in envelope.go.
const (
	eagerSync = 2
	request   = 3
	done      = 4
	failed    = 5
)

// forged returns an envelope without data.
func forged(kind byte, id, segment uint32, bytes uint64) []byte {
	b := make([]byte, 32)
	b[0] = kind
	binary.LittleEndian.PutUint32(b[12:], id)
	binary.LittleEndian.PutUint32(b[16:], segment)
	binary.LittleEndian.PutUint64(b[24:], bytes)
	return b
}

// push sends bytes past package mpi.
func push(p rma.Process, to int, data []byte) error {
	op, err := p.IPush(to, data, rma.DMA)
	if err != nil {
		return err
	}
	return p.Wait(op)
}

// pick takes a message that was sent past package mpi, or that package mpi would.
func pick(p rma.Process) ([]byte, error) {
	a, err := p.Next()
	if err != nil {
		return nil, err
	}
	b := make([]byte, a.Bytes)
	return b, p.Take(a, b, rma.Cached)
}

// expectFailure checks that an error is of the machine and names a process.
func expectFailure(what string, err error, process int) error {
	if !errors.Is(err, mpi.ErrOther) || !strings.Contains(err.Error(), fmt.Sprint("process ", process)) {
		return fmt.Errorf("%s: error %v; expected ErrOther that names process %d", what, err, process)
	}
	return nil
}

// What is no message of this package, or answers nothing, is an error that names its
// sender; what comes after it is received all the same.
func TestForeignMessages(t *testing.T) {
	for name, garbage := range map[string][]byte{
		"short": {1, 2, 3}, "zeros": make([]byte, 40), "without its data": forged(eagerSync, 0, 0, 1),
		"an answer to nothing": forged(done, 0, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 2, func(c *mpi.Comm) error {
				if c.Rank() == 1 {
					return errors.Join(push(c.Process(), 0, garbage), mpi.Send(c, 0, 0, []byte{9}))
				}
				var got [1]byte
				r, err := mpi.IReceive(c, 1, 0, got[:])
				if err != nil {
					return err
				}
				_, err = r.Wait()
				if err := expectFailure("foreign message", err, 1); err != nil {
					return err
				}
				if _, err := r.Wait(); err != nil || got[0] != 9 {
					return fmt.Errorf("then received %d, %v", got[0], err)
				}
				return nil
			})
		})
	}
}

// Nobody can answer for another: the send still waits for its receiver.
func TestForgedAnswers(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		switch c.Rank() {
		case 0:
			r, err := mpi.ISendSync(c, 1, 0, []byte{1})
			if err != nil {
				return err
			}
			if err := mpi.Send(c, 2, 0, []byte{}); err != nil {
				return err
			}
			_, err = r.Wait()
			if err := expectFailure("forged answer", err, 2); err != nil {
				return err
			}
			if err := mpi.Send(c, 1, 1, []byte{}); err != nil { // only now may it receive
				return err
			}
			_, err = r.Wait()
			return err
		case 1:
			_, err := mpi.Receive(c, 0, 1, []byte{})
			if err != nil {
				return err
			}
			_, err = mpi.Receive(c, 0, 0, make([]byte, 1))
			return err
		}
		if _, err := mpi.Receive(c, 0, 0, []byte{}); err != nil {
			return err
		}
		return push(c.Process(), 0, forged(done, 0, 0, 0))
	})
}

// A long message that cannot be read is an error of its receive, and its sender is
// told.
func TestUnreadableMessages(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			if _, err := mpi.Receive(c, 1, 0, make([]byte, large)); !errors.Is(err, mpi.ErrOther) {
				return fmt.Errorf("error %v; expected ErrOther", err)
			}
			return nil
		}
		if err := push(c.Process(), 0, forged(request, 17, 12345, large)); err != nil {
			return err
		}
		answer, err := pick(c.Process())
		if err == nil && string(answer) != string(forged(failed, 17, 0, 0)) {
			err = fmt.Errorf("answered by %v; expected the envelope of a failure", answer)
		}
		return err
	})
}

// A send whose data could not be read fails.
func TestUnreadSends(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return expectFailure("unread message", mpi.Send(c, 1, 0, make([]byte, large)), 1)
		}
		asked, err := pick(c.Process())
		if err != nil {
			return err
		}
		id := binary.LittleEndian.Uint32(asked[12:])
		return push(c.Process(), 0, forged(failed, id, 0, 0))
	})
}
