package musubi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sort"
	"strings"

	"musubi/internal/memory"
	"musubi/sim/host"
	"musubi/workload"

	"github.com/dustin/go-humanize"
)

// Memory that a simulation takes, in bytes, garbage that is not collected yet included: rankBytes is measured by allreduces of
// 1 KiB and barriers on machine ndr, or loggp for machines without a network, pairBytes by alltoalls of short messages on the
// machine that takes most for them, ssscore; ndr takes half of that. Routes and switches are there when it is estimated.
const (
	rankBytes      = 96 << 10
	plainRankBytes = 11 << 10 // on a machine without a network
	pairBytes      = 600      // of a pair of ranks with messages under way
	plainPairBytes = 450
)

// Processor time that a simulation takes, in seconds, measured on one core of an idle AMD EPYC: rankSeconds and
// messageSeconds by barriers of 16,384 ranks on loggp, and hopSeconds by alltoalls and halo exchanges of 1,024 ranks on ndr.
const (
	rankSeconds    = 30e-6
	messageSeconds = 3e-6
	hopSeconds     = 0.9e-6 // of a packet at a switch
)

// sampledPairs is of how many pairs of ranks the way is looked at.
const sampledPairs = 64

// Copies of data with bytes: in the memory of programs, half of it where ranks share what they send, and as much as this is in
// buffers and rings.
const (
	ownCopies      = 1
	receivedCopies = 0.5
	passedCopies   = 0.5
)

// ownData returns how many bytes of data the programs of a plan have in memory of their own.
func ownData(plan *workload.Plan, without bool) int64 {
	if without {
		return 0
	}
	return int64((copiesOfData(plan) - passedCopies) * float64(plan.Data))
}

// copiesOfData returns how often the data of a plan is there if it has bytes.
func copiesOfData(plan *workload.Plan) float64 {
	if plan.Shared {
		return receivedCopies + passedCopies
	}
	return ownCopies + passedCopies
}

// littleMemory is how many bytes are not worth a question.
const littleMemory = 256 << 20

// freeMemory returns how many bytes this process can still take.
var freeMemory = memory.Free

// memoryOf estimates how many bytes a simulation of a plan takes.
func (s *System) memoryOf(plan *workload.Plan, ranks int, without bool) int64 {
	each, pair := int64(rankBytes), int64(pairBytes)
	if s.Net == nil {
		each, pair = plainRankBytes, plainPairBytes
	}
	need := int64(ranks) * (each + int64(plan.Partners)*pair)
	if !without {
		need += int64(copiesOfData(plan) * float64(plan.Data))
	}
	return need + plan.Memory
}

// fewPartners is with how many partners of a rank nearly all that is kept of them stays to the end: rings, queues, and what
// messages are made of, which is used again.
const fewPartners = 32

// keptBy estimates how many bytes the ranks of a plan make once and keep to the end, as there is no garbage before.
func (s *System) keptBy(plan *workload.Plan, ranks int) int64 {
	return s.memoryOf(&workload.Plan{Partners: min(plan.Partners, fewPartners)}, ranks, true)
}

// Estimate is about what a simulation takes.
type Estimate struct {
	Workload string  `json:"workload"`
	Ranks    int     `json:"ranks"`
	Payload  string  `json:"payload"`      // real or none
	Memory   int64   `json:"memory_bytes"` // beside what routes and switches take
	Free     int64   `json:"free_bytes"`
	Messages int64   `json:"messages"` // of all ranks; 0: not known
	Hops     int64   `json:"packet_hops"`
	Seconds  float64 `json:"seconds"` // of processor time; 0: not known
}

// Estimate returns what a run of the scenario's workload takes, without running it. Times are those
// of the computer that the estimate was measured on, and good to a factor of about two. It fails for
// live runs, for workloads without programs, and for what Run refuses.
func (s *System) Estimate() (*Estimate, error) {
	if s.jobs != nil {
		return nil, wrong("jobs", errors.New("several jobs have no estimate; expected one workload"))
	}
	plan, err := s.prepare()
	if err != nil {
		return nil, err
	}
	if plan.Program == nil || s.IsLive() {
		return nil, wrong("workload", fmt.Errorf("workload %s on %s has no estimate; expected a program on a simulated machine", s.Scenario.Workload, s.Scenario.Machine))
	}
	s.chooseEngine(plan)
	without, err := s.omitsPayload(plan)
	if err != nil {
		return nil, err
	}
	if err := s.fits(plan, without); err != nil {
		return nil, err
	}
	e := &Estimate{Workload: s.Scenario.Workload, Ranks: len(s.Hosts), Payload: payloadReal, Memory: s.memoryOf(plan, len(s.Hosts), without), Free: freeMemory()}
	if without {
		e.Payload = payloadNone
	}
	if plan.Sends != nil {
		var sent int64
		e.Messages, sent = plan.Sends()
		switches := s.meanSwitches()
		e.Hops = int64(float64(s.packetsOf(e.Messages, sent)) * switches)
		followed := float64(s.followedOf(e.Messages, sent)) * switches
		e.Seconds = float64(e.Ranks)*rankSeconds + float64(e.Messages)*messageSeconds + followed*hopSeconds
	}
	return e, nil
}

// packetsOf returns about how many packets messages take, with their replies.
func (s *System) packetsOf(messages, bytes int64) int64 {
	if s.Net == nil {
		return 0
	}
	packets := messages + bytes/int64(max(1, s.Machine.Packet.Payload))
	if s.Machine.NIC.Replies {
		packets += messages
	}
	return packets
}

// followedOf returns how many of the packets the engine follows. Of a long message that flows it follows as many as of one
// without bytes.
func (s *System) followedOf(messages, bytes int64) int64 {
	m := s.simulated()
	shortest := int64(host.TraitsOf(m).Bulks) * int64(m.Packet.Payload)
	if m.Switch.Engine == "flow" && shortest > 0 && bytes >= messages*shortest {
		bytes = 0
	}
	return s.packetsOf(messages, bytes)
}

// meanSwitches returns how many switches are between two ranks on average of some pairs.
func (s *System) meanSwitches() float64 {
	between := s.env().PathSwitches
	if between == nil {
		return 0
	}
	rng, n, sum := rand.New(rand.NewPCG(1, 1)), len(s.Hosts), 0
	for range sampledPairs {
		sum += between(rng.IntN(n), rng.IntN(n))
	}
	return float64(sum) / sampledPairs
}

// fits fails if a simulation takes more memory than is free, and says what would fit.
func (s *System) fits(plan *workload.Plan, without bool) error {
	if plan.Program == nil || s.IsLive() {
		return nil
	}
	need := s.memoryOf(plan, len(s.Hosts), without)
	if need <= littleMemory || need <= freeMemory() {
		return nil
	}
	debug.FreeOSMemory()
	free := freeMemory()
	if need <= free {
		return nil
	}
	return wrong("ranks", &MemoryError{fmt.Sprintf("%d ranks of %s take about %s of memory, and %s are free; expected %s",
		len(s.Hosts), s.Scenario.Workload, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(free)), s.smaller(plan, without, free))})
}

// smaller says what would fit into free memory instead of a plan.
func (s *System) smaller(plan *workload.Plan, without bool, free int64) string {
	var ways []string
	if !without && plan.Data > 0 && host.TraitsOf(s.Machine).Phantom && s.memoryOf(plan, len(s.Hosts), true) <= free {
		ways = append(ways, "payload none")
	}
	if n := s.mostRanks(without, free); n > 0 {
		ways = append(ways, fmt.Sprintf("at most %d ranks", n))
	}
	bytes := float64(plan.Memory)
	if !without {
		bytes += copiesOfData(plan) * float64(plan.Data)
	}
	if left := float64(free-s.memoryOf(plan, len(s.Hosts), without)) + bytes; bytes > 0 && left > 0 {
		ways = append(ways, fmt.Sprintf("at most 1/%d of the bytes", int(bytes/left)+1))
	}
	if len(ways) == 0 {
		return "a smaller run"
	}
	return strings.Join(ways, ", or ")
}

// mostRanks returns how many ranks of the workload fit into free memory, 0 if it cannot tell.
func (s *System) mostRanks(without bool, free int64) int {
	env := s.env()
	planOf := func(ranks int) (*workload.Plan, error) {
		env.Ranks = ranks
		return s.planFor(env)
	}
	most := sort.Search(len(s.Hosts)-1, func(i int) bool {
		plan, err := planOf(i + 1)
		return err == nil && s.memoryOf(plan, env.Ranks, without) > free
	})
	if most > 0 {
		if _, err := planOf(most); err != nil {
			return 0 // so few do not carry it out
		}
	}
	return most
}

// MemoryError is the refusal of a run that takes more memory than is free.
type MemoryError struct{ text string }

func (e *MemoryError) Error() string { return e.text }
