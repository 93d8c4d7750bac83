package live

import (
	"math"
	"net"
	"testing"
	"time"

	"musubi/live/wire"
	"musubi/nic/cmdq"
)

// Puts of another group that are wrong in any way are answered so, and write nothing. What
// comes behind them is taken.
func TestWrongPutsOfOtherGroups(t *testing.T) {
	job, err := variants["windows"].region(2)
	if err != nil {
		t.Fatal(err)
	}
	r := newRank(job, 0)
	memory := make([]byte, 16)
	segment := int32(r.Expose(memory[4:12]))
	queue := queueName{0, 1}
	job.queueOf(queue).format(1, cmdq.OpenPointers(true, 0))
	r.commands.desk.open.Or(queue.bit())
	r.commands.deputy.begin()
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() { r.serveQueues(there, 1); close(served) }()
	if err := here.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		command
		want wire.Code
	}{
		{"all of a segment", command{segment: segment, bytes: 8}, 0},
		{"a segment below 0", command{segment: -1, bytes: 1}, wire.NotExposed},
		{"a segment that is not exposed", command{segment: segment + 1, bytes: 1}, wire.NotExposed},
		{"the last segment of all", command{segment: math.MaxInt32, bytes: 1}, wire.NotExposed},
		{"beyond a segment", command{segment: segment, offset: 1, bytes: 8}, wire.Outside},
		{"far beyond a segment", command{segment: segment, offset: math.MaxUint64, bytes: 2}, wire.Outside},
		{"a queue that is not open", command{segment: segment, bytes: 1, taker: 2}, wire.NotOpen},
		{"a queue that cannot be", command{segment: segment, bytes: 1, taker: math.MaxUint16}, wire.NotOpen},
		{"nothing, with unknown flags and a long way to go", command{taker: 1, advance: math.MaxUint32, flags: 0xff}, 0},
	} {
		before := string(memory)
		var head [putBytes]byte
		encodePut(&head, &c.command)
		data := make([]byte, c.bytes)
		for i := range data {
			data[i] = byte(c.want) + 1
		}
		if _, err := here.Write(append(head[:], data...)); err != nil {
			t.Fatal(err)
		}
		got, err := readAck(here)
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
	r.commands.deputy.close()
}
