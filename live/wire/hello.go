package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Hello is what a rank says when it has dialled.
type Hello struct {
	From, To uint16
	Plain    bool // it will not encrypt what follows
	Queues   bool // what follows is for command queues
}

const (
	helloMagic = 0x6d757333 // with the version of what follows
	plainMagic = 0x6d757033 // of those that will not encrypt
	queueMagic = 0x6d757133 // of connections for command queues
	HelloBytes = 8
)

// Answers to a hello.
const (
	HelloTaken   = 'T'
	HelloCrossed = 'X' // who answers dials the other one itself
)

// Encode returns the hello as it is on the wire.
func (h Hello) Encode() []byte {
	magic := uint32(helloMagic)
	switch {
	case h.Queues:
		magic = queueMagic
	case h.Plain:
		magic = plainMagic
	}
	b := binary.LittleEndian.AppendUint32(nil, magic)
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, h.From), h.To)
}

// DecodeHello reads a hello of HelloBytes. It fails if that is none.
func DecodeHello(b []byte) (Hello, error) {
	magic := binary.LittleEndian.Uint32(b)
	if magic != helloMagic && magic != plainMagic && magic != queueMagic {
		return Hello{}, fmt.Errorf("it begins with %#x; expected %#x, %#x or %#x", magic, helloMagic, plainMagic, queueMagic)
	}
	return Hello{binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:]), magic == plainMagic, magic == queueMagic}, nil
}

var (
	errNotTaken = errors.New("it gives another answer than expected to the greeting")
	// ErrCrossed is the answer of a rank that dials this one itself.
	ErrCrossed = errors.New("it dials this rank itself")
)

// Greet says who a rank is on a connection that it has dialled, and waits for the answer.
func Greet(conn io.ReadWriter, h Hello) error {
	if _, err := conn.Write(h.Encode()); err != nil {
		return err
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	switch answer[0] {
	case HelloTaken:
		return nil
	case HelloCrossed:
		return ErrCrossed
	}
	return errNotTaken
}
