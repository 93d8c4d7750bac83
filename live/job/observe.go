package job

import (
	"cmp"
	"os"

	"musubi/rma"
	"musubi/trace/calls"
	"musubi/trace/record"
	"musubi/units"
)

// What ranks can be observed for, see Config.Observe.
const (
	ObserveMessages = "messages" // as package trace/record records them
	ObserveCalls    = "calls"    // as package trace/calls notes them
)

// Observed is what has been observed of a rank.
type Observed struct {
	Record record.Part
	Calls  calls.Part
}

// observer observes the rank of this process.
type observer struct {
	messages *record.Rank
	calls    *calls.Rank
}

// observe observes a process from now on; nil if nobody wants to know.
func observe(p rma.Process, what string) *observer {
	switch what {
	case ObserveMessages:
		o := &observer{messages: record.Alone(p.Now())}
		p.(rma.Recorded).Record(o.messages)
		return o
	case ObserveCalls:
		host, err := os.Hostname()
		if err != nil {
			host = ""
		}
		o := &observer{calls: calls.New(cmp.Or(host, "an unknown host"))}
		p.(rma.Recorded).Record(o.calls)
		return o
	}
	return nil
}

// ended returns what has been observed when the program has ended.
func (o *observer) ended(now units.Time) *Observed {
	var seen Observed
	if o.messages != nil {
		o.messages.End(now)
		seen.Record = o.messages.Part()
	}
	if o.calls != nil {
		seen.Calls = o.calls.Part()
	}
	return &seen
}
