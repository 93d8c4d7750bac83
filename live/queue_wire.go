package live

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"musubi/live/wire"
	"net"
)

// What two processes say on a connection for command queues, in little endian:
//
//	put: bytes 8, offset 8, word 8, segment 4, advance 4, taker 2, flags 1, unused 1, and then
//	the data;
//	ack, from the other side when the put is done: code 8, hint 8.
const (
	putBytes   = 36
	ackLength  = 16
	linkBuffer = 64 << 10
)

func encodePut(b *[putBytes]byte, c *command) {
	binary.LittleEndian.PutUint64(b[0:], c.bytes)
	binary.LittleEndian.PutUint64(b[8:], c.offset)
	binary.LittleEndian.PutUint64(b[16:], c.word)
	binary.LittleEndian.PutUint32(b[24:], uint32(c.segment))
	binary.LittleEndian.PutUint32(b[28:], c.advance)
	binary.LittleEndian.PutUint16(b[32:], c.taker)
	b[34] = byte(c.flags)
}

func readPut(r io.Reader) (c command, err error) {
	var b [putBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return c, err
	}
	return command{
		bytes:   binary.LittleEndian.Uint64(b[0:]),
		offset:  binary.LittleEndian.Uint64(b[8:]),
		word:    binary.LittleEndian.Uint64(b[16:]),
		segment: int32(binary.LittleEndian.Uint32(b[24:])),
		advance: binary.LittleEndian.Uint32(b[28:]),
		taker:   binary.LittleEndian.Uint16(b[32:]),
		flags:   commandFlags(b[34]),
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

func readAck(r io.Reader) (wire.Report, error) {
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

// serveQueues takes puts of a rank of another group, until that ends the connection or this
// process ends. The program of this rank has made its first call.
func (r *rank) serveQueues(conn net.Conn, from int) {
	d := r.commands.deputy
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
		c, err := readPut(in)
		if err == nil {
			err = r.takePut(in, from, &c, piece, out)
		}
		if err == nil && in.Buffered() < putBytes {
			err = out.Flush()
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.cutQueues(from)
			}
			return
		}
		d.received.Add(1)
	}
}

// takePut does what a put says that has come, and acknowledges it.
func (r *rank) takePut(in io.Reader, from int, c *command, piece []byte, out io.Writer) error {
	d := r.commands.deputy
	target := queueName{r.number, int(c.taker)}
	var taker *queueState
	var failed wire.Report
	if target.number > 0 {
		if r.job.isOpen(target) {
			taker = r.job.queueOf(target)
		} else {
			failed = wire.Report{Code: wire.NotOpen, Hint: uint64(target.number)}
		}
	}
	noticed := taker != nil && c.flags&withNotice != 0
	if noticed && !d.awaitNotice(taker) {
		return net.ErrClosed
	}
	for at := uint64(0); at < c.bytes; {
		piece := piece[:min(uint64(len(piece)), c.bytes-at)]
		if _, err := io.ReadFull(in, piece); err != nil {
			return fmt.Errorf("%w in the data of a put", io.ErrUnexpectedEOF)
		}
		d.do(func(x *runner) {
			if failed.Code == 0 {
				failed = x.place(c, at, piece)
			}
		})
		at += uint64(len(piece))
	}
	d.do(func(x *runner) {
		switch {
		case failed.Code == 0 && taker != nil:
			storeFence()
			x.arrive(from, target, taker, c)
		case noticed && taker.forgo():
			x.markWaiting()
			d.makeRoom()
		}
		r.job.tell(r.number)
		x.runMarked()
	})
	d.sent.Add(1)
	return writeAck(out, failed)
}

// place writes a part of the data of a put that has come to memory of this process.
func (x *runner) place(c *command, at uint64, data []byte) wire.Report {
	to := x.rank.number
	s, failed := x.enter(to, int(c.segment), c.offset, c.bytes)
	defer x.leave(to, int(c.segment))
	if failed.Code == 0 {
		copyInOrder(s.memory[at:][:len(data)], data, &x.copier)
	}
	return failed
}
