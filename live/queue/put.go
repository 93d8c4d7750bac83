package queue

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"musubi/live/shm"
	"musubi/live/wire"
	"net"
)

// What two processes say on a connection for command queues, in little endian:
//
//	put: bytes 8, offset 8, word 8, segment 4, advance 4, taker 2, flags 1, unused 1, and then
//	the data;
//	ack, from the other side when the put is done: code 8, hint 8.
const (
	PutBytes   = 36
	ackLength  = 16
	linkBuffer = 64 << 10
)

func EncodePut(b *[PutBytes]byte, c *shm.Command) {
	binary.LittleEndian.PutUint64(b[0:], c.Bytes)
	binary.LittleEndian.PutUint64(b[8:], c.Offset)
	binary.LittleEndian.PutUint64(b[16:], c.Word)
	binary.LittleEndian.PutUint32(b[24:], uint32(c.Segment))
	binary.LittleEndian.PutUint32(b[28:], c.Advance)
	binary.LittleEndian.PutUint16(b[32:], c.Taker)
	b[34] = byte(c.Flags)
}

func readPut(r io.Reader) (c shm.Command, err error) {
	var b [PutBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return c, err
	}
	return shm.Command{
		Bytes:   binary.LittleEndian.Uint64(b[0:]),
		Offset:  binary.LittleEndian.Uint64(b[8:]),
		Word:    binary.LittleEndian.Uint64(b[16:]),
		Segment: int32(binary.LittleEndian.Uint32(b[24:])),
		Advance: binary.LittleEndian.Uint32(b[28:]),
		Taker:   binary.LittleEndian.Uint16(b[32:]),
		Flags:   shm.CommandFlags(b[34]),
	}, nil
}

func writeAck(w io.Writer, failed wire.Report) error {
	var b [ackLength]byte
	binary.LittleEndian.PutUint64(b[0:], uint64(failed.Code))
	binary.LittleEndian.PutUint64(b[8:], failed.Hint)
	_, err := w.Write(b[:])
	return err
}

var errUnknownCode = errors.New("it says that a put has failed, and not how")

func ReadAck(r io.Reader) (wire.Report, error) {
	var b [ackLength]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return wire.Report{}, err
	}
	p := wire.Report{Code: wire.Code(binary.LittleEndian.Uint64(b[0:])), Hint: binary.LittleEndian.Uint64(b[8:])}
	if p.Code != 0 && !p.Code.IsKnown() {
		return p, errUnknownCode
	}
	return p, nil
}

// Serve takes puts of a rank of another group, until that ends the connection or this
// process ends. The program of this rank has made its first call.
func (c *Queues) Serve(conn net.Conn, from int) {
	d := c.progress
	defer conn.Close()
	if !d.enter() {
		return
	}
	defer d.running.Done()
	end := context.AfterFunc(d.ctx, func() { conn.Close() })
	defer end()
	select {
	case <-d.begun:
	case <-d.ctx.Done():
		return
	}
	in, out := bufio.NewReaderSize(conn, linkBuffer), bufio.NewWriter(conn)
	piece := make([]byte, linkBuffer)
	for {
		p, err := readPut(in)
		if err == nil {
			err = c.takePut(in, from, &p, piece, out)
		}
		if err == nil && in.Buffered() < PutBytes {
			err = out.Flush()
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.cut(from)
			}
			return
		}
		d.received.Add(1)
	}
}

// takePut does what a put says that has come, and acknowledges it.
func (c *Queues) takePut(in io.Reader, from int, p *shm.Command, piece []byte, out io.Writer) error {
	d := c.progress
	target := shm.QueueName{Rank: c.number, Number: int(p.Taker)}
	var taker *shm.Queue
	var failed wire.Report
	if target.Number > 0 {
		if c.job.IsOpen(target) {
			taker = c.job.QueueOf(target)
		} else {
			failed = wire.Report{Code: wire.NotOpen, Hint: uint64(target.Number)}
		}
	}
	noticed := taker != nil && p.Flags&shm.WithNotice != 0
	if noticed && !d.awaitNotice(taker) {
		return net.ErrClosed
	}
	for at := uint64(0); at < p.Bytes; {
		piece := piece[:min(uint64(len(piece)), p.Bytes-at)]
		if _, err := io.ReadFull(in, piece); err != nil {
			return fmt.Errorf("%w in the data of a put", io.ErrUnexpectedEOF)
		}
		d.do(func(x *runner) {
			if failed.Code == 0 {
				failed = x.place(p, at, piece)
			}
		})
		at += uint64(len(piece))
	}
	d.do(func(x *runner) {
		switch {
		case failed.Code == 0 && taker != nil:
			shm.StoreFence()
			x.arrive(from, target, taker, p)
		case noticed && taker.Forgo():
			x.markWaiting()
			d.makeRoom()
		}
		c.job.Tell(c.number)
		x.runMarked()
	})
	d.sent.Add(1)
	return writeAck(out, failed)
}

// place writes a part of the data of a put that has come to memory of this process.
func (x *runner) place(c *shm.Command, at uint64, data []byte) wire.Report {
	to := x.c.number
	s, failed := x.enter(to, int(c.Segment), c.Offset, c.Bytes)
	defer x.leave(to, int(c.Segment))
	if failed.Code == 0 {
		shm.CopyInOrder(s.memory[at:][:len(data)], data, &x.copier)
	}
	return failed
}
