package nic

import (
	"encoding/binary"
	"fmt"
)

// Reader puts packets together from lines that come one by one. The zero value
// waits for the first line of a packet.
type Reader struct {
	header Header
	n      int  // lines of this packet so far
	total  int  // lines that it has; 0 outside a packet
	broken bool // what is outside a packet has been reported
	data   [MaxData + 1]byte
}

// Push takes the next line and reports whether it completes a packet, which
// Header and Data then tell until the next Push.
//
// It fails where the lines are not those of packets. A packet that is broken is
// dropped with the line at which that shows, and what follows is passed over in
// silence up to the next line that is tagged First, where a packet begins.
func (r *Reader) Push(l Line) (complete bool, err error) {
	switch {
	case l.Tag == First:
		return false, r.begin(l)
	case r.total == 0:
		return false, r.drop(l)
	}
	if want := tagAt(r.n, r.total); l.Tag != want {
		err := errTag(r.n, r.total, l.Tag, want)
		r.abandon()
		return false, err
	}
	return r.take(l)
}

// Header returns the header of the packet that the last Push has completed.
func (r *Reader) Header() *Header { return &r.header }

// Data returns the data of the packet that the last Push has completed.
func (r *Reader) Data() []byte { return r.data[:r.header.Data] }

func (r *Reader) begin(l Line) error {
	n, total := r.n, r.total
	r.header = Header{}
	r.header.setFirstLine(l.Bits)
	if r.header.Operation == 0 {
		r.abandon()
		return errNoOperation(l.Bits)
	}
	r.n, r.total, r.broken = 1, r.header.Lines(), false
	if total != 0 {
		return fmt.Errorf("nic: a packet begins after %d lines of another; expected %d", n, total)
	}
	return nil
}

// take adds a line that is tagged as it should be.
func (r *Reader) take(l Line) (complete bool, err error) {
	headerLines := r.header.headerLines()
	switch {
	case r.n >= headerLines:
		binary.LittleEndian.PutUint64(r.data[(r.n-headerLines)*LineSize:], l.Bits)
	case r.n == 1:
		r.header.setSecondLine(l.Bits)
	default:
		r.header.Word = l.Bits
	}
	r.n++
	if r.n < r.total {
		return false, nil
	}
	if err := checkPadding(l.Bits, r.header.Data); err != nil {
		r.abandon()
		return false, err
	}
	r.n, r.total = 0, 0
	return true, nil
}

// abandon forgets the packet; the lines that are left of it are no new error.
func (r *Reader) abandon() { r.n, r.total, r.broken = 0, 0, true }

// drop passes over a line outside a packet.
func (r *Reader) drop(l Line) error {
	if r.broken {
		return nil
	}
	r.broken = true
	return fmt.Errorf("nic: a line tagged %v outside a packet; expected %v", l.Tag, First)
}
