// Command rings is a program whose receiver chooses where messages go: four ranks
// send to rank 0 by IPUSH. Rank 1 sends often and has a receive ring of its own. The
// others share one, in which their packets interleave.
//
//	go run ./examples/rings
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"musubi"
	"musubi/rma"
)

const (
	ranks    = 5
	often    = 20   // messages of rank 1
	seldom   = 2    // messages of each other rank
	size     = 2000 // bytes of a message: several packets
	ringSize = 16 << 10
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	got := make([]tally, ranks)
	result, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "dimmnet2", Ranks: ranks}, func(p rma.Process) error {
		if p.Rank() > 0 {
			return send(p)
		}
		return receive(p, got)
	})
	if err != nil {
		return err
	}
	for rank, t := range got[1:] {
		fmt.Fprintf(out, "rank %d: %d messages, told of in %d records\n", rank+1, t.messages, t.records)
	}
	fmt.Fprintf(out, "2 rings instead of %d; all was over after %v\n", ranks, result.Simulation.Time)
	return nil
}

// messagesOf returns how many messages a rank sends.
func messagesOf(rank int) int {
	if rank == 1 {
		return often
	}
	return seldom
}

// message returns the message of a rank.
func message(rank int) []byte { return bytes.Repeat([]byte{byte(rank)}, size) }

// send appends messages to a ring of rank 0. It knows no address there.
func send(p rma.Process) error {
	for range messagesOf(p.Rank()) {
		op, err := p.IPush(0, message(p.Rank()), rma.DMA)
		if err != nil {
			return err
		}
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// tally counts the messages from one rank.
type tally struct {
	messages, records int
	part              []byte // of the message that is not complete yet
}

// receive takes all messages off the rings, in the order of arrival. An rma.Receiver does the same
// for programs that only want whole messages.
func receive(p rma.Process, from []tally) error {
	err := p.Rings(rma.Rings{
		Private: []rma.Ring{{Bytes: ringSize, Senders: []int{1}}}, // tells of whole messages
		Other:   rma.Ring{Bytes: ringSize, Status: rma.PerPacket},
	})
	if err != nil {
		return err
	}
	for left := often + (ranks-2)*seldom; left > 0; {
		if err := p.Await(); err != nil { // something has come, and stays where it is
			return err
		}
		arrival, err := p.Next()
		if err != nil {
			return err
		}
		t := &from[arrival.From]
		data := make([]byte, arrival.Bytes)
		if err := p.Take(arrival, data, rma.Cached); err != nil { // its room is free again
			return err
		}
		t.records++
		t.part = append(t.part, data...)
		if !arrival.Last {
			continue
		}
		if !bytes.Equal(t.part, message(arrival.From)) {
			return fmt.Errorf("rank %d has sent something else", arrival.From)
		}
		t.messages++
		t.part = nil
		left--
	}
	return nil
}
