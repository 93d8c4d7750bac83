package exchange

import (
	"musubi/trace/schedule"
	"musubi/units"
	"musubi/workload/job/param"
	"musubi/workload/job/strand"
)

// Incast is storage whose files are spread over servers. A client asks all of them for a block each, and they answer at once. When all blocks
// have come it asks for the next ones. The servers have the first ranks, the clients the others.
type Incast struct {
	Servers int         `name:"servers" default:"16" most:"65536" help:"servers that answer"`
	Clients int         `name:"clients" default:"1" most:"65536" help:"clients that ask all servers"`
	Block   units.Bytes `name:"block" default:"256KiB" help:"what a server answers with"`
	Request units.Bytes `name:"request" default:"64B" help:"what a client asks with"`
	Service units.Time  `name:"service" default:"10us" help:"time of a server for an answer; it works on several at once"`
	Rounds  int         `name:"rounds" default:"10" most:"1000000" help:"blocks that a client asks of each server, one after the other"`
}

// Check fails if the parameters do not fit each other.
func (i *Incast) Check() error {
	switch {
	case float64(i.Servers)*float64(i.Clients)*float64(i.Rounds)*5 > mostOperations:
		return param.Wrong("rounds", "the schedule would have more operations than the 20 million that are possible")
	}
	return nil
}

// Ranks returns how many ranks the job has.
func (i *Incast) Ranks() int { return i.Servers + i.Clients }

// Schedule returns what all ranks do.
func (i *Incast) Schedule() *schedule.Schedule {
	b := schedule.NewBuilder(i.Ranks())
	for server := range i.Servers {
		for client := range i.Clients {
			i.serve(b, server, i.Servers+client)
		}
	}
	for client := range i.Clients {
		i.read(b, i.Servers+client)
	}
	return b.Schedule()
}

// Tags of messages.
const (
	request = iota
	answer
)

// serve answers a client. Each client has a processor of the server's, by turns.
func (i *Incast) serve(b *schedule.Builder, server, client int) {
	r := strand.New(b, server, uint8(1+client%200))
	for range i.Rounds {
		r.Wait(r.Receive(client, int64(i.Request), request))
		r.Compute(int64(i.Service))
		r.Send(client, int64(i.Block), answer)
	}
	r.End()
}

func (i *Incast) read(b *schedule.Builder, client int) {
	r := strand.New(b, client, 0)
	for range i.Rounds {
		var blocks []uint32
		for server := range i.Servers {
			blocks = append(blocks, r.Receive(server, int64(i.Block), answer))
		}
		for server := range i.Servers {
			r.Send(server, int64(i.Request), request)
		}
		r.Wait(blocks...)
	}
	r.End()
}
