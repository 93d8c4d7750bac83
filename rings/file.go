package rings

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"musubi/rma"
	"musubi/units"
)

// heading explains the format to a user who edits a file.
const heading = `# Receive rings of each process, for "musubi run --rings FILE".
#
# rank     each rank of the job has one [[process]]
# shared   size of the ring that all others share, which private does not name;
#          without it their messages are refused
# private  rings of their own: the ranks that send to it, its size, and status:
#          "message"  the process is told of whole messages, which must fit the
#                     ring; for a single sender
#          "packet"   it is told of each packet
# records  arrivals that the status ring holds; left out: as the machine has it
#
# Sizes are in bytes, or texts such as "64KiB". A ring holds at least a packet.
`

// file is receive rings as a file holds them.
type file struct {
	Process []processTable `toml:"process"`
}

type processTable struct {
	Rank    *int        `toml:"rank"`
	Records int         `toml:"records"`
	Shared  units.Bytes `toml:"shared"`
	Private []ringTable `toml:"private"`
}

type ringTable struct {
	Senders []int       `toml:"senders"`
	Size    units.Bytes `toml:"size"`
	Status  string      `toml:"status"`
}

// Texts of rma.Status.
var statusNames = [...]string{rma.PerMessage: "message", rma.PerPacket: "packet"}

// Write writes the receive rings of each rank as TOML that Read reads and people
// can edit.
func Write(w io.Writer, all []rma.Rings) error {
	b := bufio.NewWriter(w)
	b.WriteString(heading)
	for rank := range all {
		write(b, rank, &all[rank])
	}
	return b.Flush()
}

func write(b *bufio.Writer, rank int, r *rma.Rings) {
	fmt.Fprintf(b, "\n[[process]]\nrank = %d\n", rank)
	if r.Other.Bytes > 0 {
		fmt.Fprintf(b, "shared = %d\n", r.Other.Bytes)
	}
	if r.Records > 0 {
		fmt.Fprintf(b, "records = %d\n", r.Records)
	}
	if len(r.Private) == 0 {
		return
	}
	b.WriteString("private = [\n")
	for _, ring := range r.Private {
		senders := make([]string, len(ring.Senders))
		for i, s := range ring.Senders {
			senders[i] = strconv.Itoa(s)
		}
		fmt.Fprintf(b, "  { senders = [%s], size = %d, status = %q },\n", strings.Join(senders, ", "), ring.Bytes, statusNames[ring.Status])
	}
	b.WriteString("]\n")
}
