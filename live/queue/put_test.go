package queue

import (
	"math"
	"net"
	"testing"
	"time"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/nic/cmdq"
)

// Puts of another group that are wrong in any way are answered so, and write nothing. What
// comes behind them is taken.
func TestWrongPutsOfOtherGroups(t *testing.T) {
	file, job, err := shm.NewRegion(2, []int{0, 1}, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var changes uint64
	q := New(job, 0, []int{0, 1}, nil, &changes)
	memory := make([]byte, 16)
	const segment = 3
	q.Publish(segment, memory[4:12], OutsideArenas)
	name := shm.QueueName{Rank: 0, Number: 1}
	job.QueueOf(name).Format(1, cmdq.OpenPointers(true, 0))
	q.state.Open.Or(name.Bit())
	q.progress.Begin()
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() { q.Serve(there, 1); close(served) }()
	if err := here.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		shm.Command
		want wire.Code
	}{
		{"all of a segment", shm.Command{Segment: segment, Bytes: 8}, 0},
		{"a segment below 0", shm.Command{Segment: -1, Bytes: 1}, wire.NotExposed},
		{"a segment that is not exposed", shm.Command{Segment: segment + 1, Bytes: 1}, wire.NotExposed},
		{"the last segment of all", shm.Command{Segment: math.MaxInt32, Bytes: 1}, wire.NotExposed},
		{"beyond a segment", shm.Command{Segment: segment, Offset: 1, Bytes: 8}, wire.Outside},
		{"far beyond a segment", shm.Command{Segment: segment, Offset: math.MaxUint64, Bytes: 2}, wire.Outside},
		{"a queue that is not open", shm.Command{Segment: segment, Bytes: 1, Taker: 2}, wire.NotOpen},
		{"a queue that cannot be", shm.Command{Segment: segment, Bytes: 1, Taker: math.MaxUint16}, wire.NotOpen},
		{"nothing, with unknown flags and a long way to go", shm.Command{Taker: 1, Advance: math.MaxUint32, Flags: 0xff}, 0},
	} {
		before := string(memory)
		var head [PutBytes]byte
		EncodePut(&head, &c.Command)
		data := make([]byte, c.Bytes)
		for i := range data {
			data[i] = byte(c.want) + 1
		}
		if _, err := here.Write(append(head[:], data...)); err != nil {
			t.Fatal(err)
		}
		got, err := ReadAck(here)
		if err != nil || got.Code != c.want {
			t.Fatalf("a put to %s is answered with %v, %v; want code %d", c.what, got, err, c.want)
		}
		if c.want != 0 && string(memory) != before {
			t.Errorf("a put to %s has written % x over % x", c.what, memory, before)
		}
	}
	if want := string([]byte{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}); string(memory) != want {
		t.Errorf("memory is % x, want % x", memory, want)
	}
	here.Close()
	<-served
	q.End()
}
