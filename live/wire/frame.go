package wire

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
)

// When ranks have greeted each other, frames take the place of records of TLS: a head,
// which is a kind and the length of what follows (big-endian), and packets. Unless the
// job does not encrypt, these are encrypted with AES-128-GCM, as TLS would: the head is
// authenticated too, and the number of the frame is part of the nonce, so that no frame
// can be changed, repeated, left out or moved. Records of crypto/tls took a multiple of
// the time of the encryption itself, and are shorter.

// FrameKind says what is in a frame.
type FrameKind byte

const (
	PacketsFrame FrameKind = 'P' // packets
	LongFrame    FrameKind = 'L' // the header of one packet, whose data is all that follows
)

// Sizes of frames.
const (
	FrameHead  = 5
	TagBytes   = 16                                       // of what is encrypted
	MaxPackets = 16 << 10                                 // bytes in a frame of packets
	PacketBody = (MaxPackets-HeaderBytes)/2 - HeaderBytes // of one of its packets: two fit there with an Ack
	LongData   = 64<<10 + 64                              // of data in a long frame
	MaxLong    = LongData + MaxHead                       // bytes in a long frame
	PartData   = 63 << 10                                 // of data in one of several that are encrypted: the system sends it as a whole
	HugeData   = 1 << 20                                  // of data in one that is not encrypted, and so used while it comes
	MaxHuge    = HugeData + MaxHead                       // bytes in such a frame
	MaxFrame   = FrameHead + MaxLong + TagBytes
)

var errFrame = errors.New("bytes that are no frame, or one that is too long")

// PutFrameHead writes the head of a frame of n bytes.
func PutFrameHead(b []byte, kind FrameKind, n int) {
	b[0] = byte(kind)
	binary.BigEndian.PutUint32(b[1:], uint32(n))
}

// ReadFrameHead reads the head of a frame. It fails if no frame has that one.
func ReadFrameHead(b []byte, by Protection) (kind FrameKind, n int, err error) {
	kind, length := FrameKind(b[0]), binary.BigEndian.Uint32(b[1:])
	most := uint32(MaxPackets)
	if kind == LongFrame {
		most = MaxLong
		if by == Unprotected {
			most = MaxHuge
		}
	}
	if by == Sealed {
		most += TagBytes
	}
	if kind != PacketsFrame && kind != LongFrame || length > most {
		return 0, 0, errFrame
	}
	return kind, int(length), nil
}

// Keys encrypt what is sent over a connection, and decrypt what comes.
type Keys struct{ Out, In *Direction }

// NewKeys derives those of a connection from what its handshake has agreed upon (RFC 8446,
// 7.5). dialled says at which end this is.
func NewKeys(conn *tls.Conn, dialled bool) (*Keys, error) {
	state := conn.ConnectionState()
	secret, err := state.ExportKeyingMaterial("EXPORTER-musubi live frames", nil, 2*sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("live: deriving keys of the connection with %v: %w", conn.RemoteAddr(), err)
	}
	out, in := newDirection(secret[:sha256.Size]), newDirection(secret[sha256.Size:])
	if !dialled {
		out, in = in, out
	}
	return &Keys{out, in}, nil
}

// renewEvery is after how many frames each direction goes on to keys that it derives of
// the secret before. A key is safe for some 2^34 blocks (RFC 8446, 5.5); a frame has
// 2^12.
const renewEvery = 1 << 20

// Direction encrypts, or decrypts, the frames of one direction of a connection.
type Direction struct {
	secret []byte
	aead   cipher.AEAD
	base   [12]byte // of nonces
	nonce  [12]byte
	number uint64 // of the next frame
}

func newDirection(secret []byte) *Direction {
	d := &Direction{secret: secret}
	d.setKey()
	return d
}

// setKey derives the key from the secret.
func (d *Direction) setKey() {
	block, err := aes.NewCipher(d.expand("key", 16))
	if err == nil {
		d.aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic(err) // cannot be: the key has the length that it must have
	}
	copy(d.base[:], d.expand("nonce", len(d.base)))
}

// expand derives something else from the secret.
func (d *Direction) expand(what string, n int) []byte {
	b, err := hkdf.Expand(sha256.New, d.secret, "musubi live frames: "+what, n)
	if err != nil {
		panic(err) // cannot be: n is small
	}
	return b
}

// next returns the nonce of the next frame.
func (d *Direction) next() []byte {
	if d.number > 0 && d.number%renewEvery == 0 {
		d.secret = d.expand("secret", sha256.Size)
		d.setKey()
	}
	d.nonce = d.base
	last := d.nonce[4:]
	binary.BigEndian.PutUint64(last, binary.BigEndian.Uint64(last)^d.number)
	d.number++
	return d.nonce[:]
}

// Seal encrypts a frame in its place, which has room for the tag behind it.
func (d *Direction) Seal(frame []byte) {
	body := frame[FrameHead : len(frame)-TagBytes]
	d.aead.Seal(body[:0], d.next(), body, frame[:FrameHead])
}

// Open decrypts a frame in its place, and returns what is in it.
func (d *Direction) Open(frame []byte) ([]byte, error) {
	body := frame[FrameHead:]
	return d.aead.Open(body[:0], d.next(), body, frame[:FrameHead])
}
