package rings

import (
	"encoding/json"
	"fmt"
)

// Record is the result of a recorded run: who sends to whom, and how much at a time.
type Record struct {
	Scenario  json.RawMessage // the scenario, in the form of the recording program
	Packet    int             // bytes of data of the largest packet that goes into a ring
	Processes []Process       // by rank
}

// Process describes the messages to one process.
type Process struct {
	Rank int `json:"rank"`
	// Peak is the largest number of bytes that one ring of all senders would have held, had there
	// been no limit: sent by IPUSH, and not given back by the process.
	Peak     int64     `json:"peak"`
	Partners []Partner `json:"partners"` // those that sent anything, by rank
}

// Partner describes the messages from one sender to a process. All fields but Pushes count messages
// by IPUSH.
type Partner struct {
	Rank     int   `json:"rank"`
	Messages int64 `json:"messages"` // that the process has taken off its status ring
	Bytes    int64 `json:"bytes"`    // of these
	Largest  int   `json:"largest"`  // bytes of the largest message
	Burst    int64 `json:"burst"`    // like Process.Peak, of this sender alone
	Pushes   int64 `json:"pushes"`   // writes by PUSH, which need no ring
}

// appends reports whether the partner has sent anything that needs a ring.
func (p *Partner) appends() bool { return p.Messages > 0 || p.Burst > 0 }

// senders returns the partners that need a ring.
func (p *Process) senders() []Partner {
	var s []Partner
	for _, partner := range p.Partners {
		if partner.appends() {
			s = append(s, partner)
		}
	}
	return s
}

// maxRanks is the number of senders that a packet can tell apart, and so the largest job with
// receive rings.
const maxRanks = 1 << 16

// maxCount keeps sums of counts and sizes from overflowing.
const maxCount = 1 << 46

// check fails if no run can have made the record.
func (r *Record) check() error {
	if r.Packet < 1 || r.Packet > MaxArea {
		return fmt.Errorf("packet is %d; expected 1 to %d bytes", r.Packet, MaxArea)
	}
	if n := len(r.Processes); n < 1 || n > maxRanks {
		return fmt.Errorf("%d processes; expected 1 to %d", n, maxRanks)
	}
	for rank := range r.Processes {
		p := &r.Processes[rank]
		if p.Rank != rank {
			return fmt.Errorf("process %d in the list has rank %d; expected all ranks in order", rank, p.Rank)
		}
		if err := p.check(len(r.Processes)); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return nil
}

func (p *Process) check(ranks int) error {
	last := -1
	var largest, sum int64
	for _, partner := range p.Partners {
		if partner.Rank <= last || partner.Rank >= ranks {
			return fmt.Errorf("partner of rank %d; expected ranks %d to %d, in order", partner.Rank, last+1, ranks-1)
		}
		last = partner.Rank
		if err := partner.check(); err != nil {
			return fmt.Errorf("partner %d: %w", partner.Rank, err)
		}
		largest = max(largest, partner.Burst)
		sum += partner.Burst
	}
	if p.Peak < largest || p.Peak > sum {
		return fmt.Errorf("peak is %d; expected at least the largest burst, %d, and at most all together, %d", p.Peak, largest, sum)
	}
	return nil
}

func (p *Partner) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"messages", p.Messages}, {"bytes", p.Bytes}, {"largest", int64(p.Largest)}, {"burst", p.Burst}, {"pushes", p.Pushes},
	} {
		if f.value < 0 || f.value > maxCount {
			return fmt.Errorf("%s is %d; expected 0 to %d", f.name, f.value, int64(maxCount))
		}
	}
	if int64(p.Largest) > p.Burst {
		return fmt.Errorf("burst is %d, less than the largest message of %d bytes", p.Burst, p.Largest)
	}
	return nil
}
