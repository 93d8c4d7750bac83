package chakra

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// mostMessage is the largest message that is read, in bytes.
const mostMessage = 64 << 20

// messages reads a file message by message.
type messages struct {
	r    *bufio.Reader
	data bytes.Buffer // of the last message
}

// newMessages unpacks a file if it is packed.
func newMessages(r io.Reader) (*messages, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReader(z)
	}
	return &messages{r: b}, nil
}

// next returns the next message, which is valid until it is called again; io.EOF behind the last one.
func (m *messages) next() ([]byte, error) {
	n, err := binary.ReadUvarint(m.r)
	switch {
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		return nil, fmt.Errorf("length of a message: %w", err)
	case n > mostMessage:
		return nil, fmt.Errorf("a message of %d bytes; expected at most %d", n, mostMessage)
	}
	// What is announced need not come, so it is not allocated before.
	m.data.Reset()
	came, err := m.data.ReadFrom(io.LimitReader(m.r, int64(n)))
	if err == nil && uint64(came) < n {
		err = fmt.Errorf("it ends within a message: %d bytes of %d", came, n)
	}
	return m.data.Bytes(), err
}

// field is a field of a message: a number, for varints and fixed sizes, or bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	bytes  []byte
}

var errMalformed = errors.New("malformed; expected fields of a protocol buffer")

// fields calls a function for each field of a message.
func fields(data []byte, do func(f field) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return errMalformed
		}
		data = data[n:]
		f := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			f.value = uint64(v)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return errMalformed
		}
		data = data[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// appendNumbers appends the numbers of a repeated field, packed or not.
func (f *field) appendNumbers(list []uint64) ([]uint64, error) {
	if f.kind == protowire.VarintType {
		return append(list, f.value), nil
	}
	for data := f.bytes; len(data) > 0; {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return nil, errMalformed
		}
		list, data = append(list, v), data[n:]
	}
	return list, nil
}
