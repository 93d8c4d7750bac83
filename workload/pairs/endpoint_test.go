package pairs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// A benchmark notices when messages are not those that were sent.
func TestEndpointTakesWholeMessages(t *testing.T) {
	for bytes, want := range map[int]string{
		0:   "a message of 0 bytes",
		99:  "a message of 99 bytes",
		100: "",
		101: "a message of 101 bytes from rank 0 has come; expected one of 100",
	} {
		world := packetRings(1000)
		err := world.Run(2, func(p rma.Process) error {
			trials := []trial{{pair: pair{to: 1}, by: byIPush, copying: copyCached, size: 100, places: 1}}
			end, err := newEndpoint(p, workload.Env{}, trials)
			if err != nil {
				return err
			}
			if p.Rank() == 1 {
				return end.take(&trials[0])
			}
			op, err := p.IPush(1, make([]byte, bytes), rma.DMA)
			if err != nil {
				return err
			}
			return p.Wait(op)
		})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: got %v; want %q", bytes, err, want)
		}
	}
}

// Ranks that are in no trial number their segments as the others do, and have no
// memory.
func TestEndpointOfOthersIsEmpty(t *testing.T) {
	trials := []trial{
		{pair: pair{to: 1}, by: ByPush, copying: copyCached, size: 100, places: 3},
		{pair: pair{to: 1}, by: ByPush, copying: copyNone, size: 1000, places: 1},
		{pair: pair{from: 1, to: 2}, by: byBOTF, copying: copyNone, size: 50, places: 2},
	}
	var segments [4][]string
	world := ideal.World{}
	err := world.Run(4, func(p rma.Process) error {
		_, err := newEndpoint(p, workload.Env{BOTF: 50}, trials)
		for _, s := range p.(*ideal.Member).Segments {
			segments[p.Rank()] = append(segments[p.Rank()], fmt.Sprint(len(s)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Messages to be fetched, places to push to, windows.
	for rank, want := range []string{"1000 1000 1000 1000", "1000 1000 1000 1000 50 50", "100 50 50 50 50 50", "0 0 0 0"} {
		if got := strings.Join(segments[rank], " "); got != want {
			t.Errorf("rank %d has segments of %s bytes, want %s", rank, got, want)
		}
	}
}

// A rank asks for a ring for each partner that sends to it, and for no other.
func TestEndpointAsksForTheRingsOfItsPartners(t *testing.T) {
	trials := []trial{
		{pair: pair{from: 1, to: 2}, by: byIPush, copying: copyCached, size: 100, places: 3},
		{pair: pair{from: 1, to: 3}, by: byIPush, copying: copyCached, size: 200, places: 1},
	}
	var senders [5][]int
	world := ideal.World{}
	err := world.Run(5, func(p rma.Process) error {
		if _, err := newEndpoint(p, workload.Env{}, trials); err != nil {
			return err
		}
		rank := p.(*ideal.Member)
		if rank.Inbox == nil {
			return nil
		}
		for sender, ring := range rank.Inbox.Of {
			if slices.Equal(ring.Senders, []int{sender}) && ring.Bytes > 0 {
				senders[p.Rank()] = append(senders[p.Rank()], sender)
			}
		}
		return nil
	})
	check.Must(t, err)
	if got, want := fmt.Sprint(senders), "[[] [2 3] [1] [1] []]"; got != want {
		t.Errorf("rings by rank are for senders %s; want %s", got, want)
	}
}
