package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Protection is how what two ranks send each other is encrypted.
type Protection uint8

const (
	Sealed      Protection = iota // each frame by itself
	Records                       // frames go in records of TLS
	Unprotected                   // not at all

	// Protections is how many there are.
	Protections
)

// Hello is what a rank says when it has dialled.
type Hello struct {
	From, To   uint16
	Protection Protection // of what follows
	Queues     bool       // what follows is for command queues
}

// With the version of what follows.
const (
	queueMagic = 0x6d757133 // of connections for command queues
	HelloBytes = 8
)

// helloMagics are those of other connections.
var helloMagics = [Protections]uint32{Sealed: 0x6d757333, Records: 0x6d757433, Unprotected: 0x6d757033}

// Answers to a hello.
const (
	HelloTaken   = 'T'
	HelloCrossed = 'X' // who answers dials the other one itself
)

// Encode returns the hello as it is on the wire.
func (h Hello) Encode() []byte {
	magic := helloMagics[h.Protection]
	if h.Queues {
		magic = queueMagic
	}
	b := binary.LittleEndian.AppendUint32(nil, magic)
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, h.From), h.To)
}

// DecodeHello reads a hello of HelloBytes. It fails if that is none.
func DecodeHello(b []byte) (Hello, error) {
	h := Hello{From: binary.LittleEndian.Uint16(b[4:]), To: binary.LittleEndian.Uint16(b[6:])}
	magic := binary.LittleEndian.Uint32(b)
	if h.Queues = magic == queueMagic; h.Queues {
		return h, nil
	}
	protection := slices.Index(helloMagics[:], magic)
	if protection < 0 {
		return h, fmt.Errorf("it begins with %#x; expected %#x or one of %#x", magic, queueMagic, helloMagics)
	}
	h.Protection = Protection(protection)
	return h, nil
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
