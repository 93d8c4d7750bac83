package transformer

import (
	"context"
	"fmt"
	"testing"

	"musubi/internal/check"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
	"musubi/units"
	"musubi/workload/job/param"
)

// read returns a training step with parameters.
func read(t *testing.T, settings map[string]string) *Train {
	t.Helper()
	var job Train
	check.Must(t, param.Read(&job, settings))
	check.Must(t, job.Check())
	return &job
}

// worked is the example with 1,024 accelerators that docs/jobs.md goes through.
var worked = map[string]string{
	"model": "llama2-70b", "tensor": "8", "pipeline": "8", "data": "16", "batch": "1024", "sequence": "4096", "zero": "1",
}

// with returns settings with others added.
func with(settings map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for name, value := range settings {
		all[name] = value
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v; expected %v", what, got, want)
	}
}

// The sizes and operations of the worked example are those that were computed apart from this program.
func TestSizesOfTheWorkedExample(t *testing.T) {
	job := read(t, worked)
	layer, all := job.Parameters()
	expect(t, "parameters of a layer", layer, 855_654_400)
	expect(t, "parameters", all, 68_976_648_192)
	expect(t, "operations of a token", job.FLOPs(4096), 148_163_788_800)
	expect(t, "operations of a step", 3*job.FLOPs(4096)*1024*4096, 1.8643319160569856e18)
	expect(t, "ranks", job.Ranks(), 1024)
	expect(t, "micro-batches", job.MicroBatches(), 64)
	expect(t, "bytes between layers", job.activations(), 67_108_864)
	expect(t, "bytes between stages", job.message(), 8_388_608)
	var inner int64
	for range job.layersOfChunk() {
		inner += job.dense(false, false)
	}
	expect(t, "parameters of an inner rank", inner, 1_069_711_360)
	expect(t, "bytes of keys and values of a token", 2*int64(job.Layers)*job.keys()*2, 327_680)
	layerTime := func(work int64) int64 {
		return work * (job.time(job.projectionFLOPs()) + job.time(job.scoreFLOPs(job.Sequence)) + job.time(job.mlpFLOPs()))
	}
	expect(t, "milliseconds of a stage forward", fmt.Sprintf("%.3f", float64(10*layerTime(1))/1e9), "23.622")
	expect(t, "milliseconds of a stage backward", fmt.Sprintf("%.3f", float64(10*layerTime(2))/1e9), "47.245")
}

// sums are what a rank does.
type sums struct {
	sent, received, calls map[string]int64 // by kind: count
	bytes                 map[string]int64 // by kind: bytes that the rank sends, with rings
	computed              int64
}

// sumsOf adds up what a rank does in a schedule.
func sumsOf(s *schedule.Schedule, rank int) sums {
	x := sums{map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, 0}
	for i := range s.Ranks[rank].Ops {
		op := &s.Ranks[rank].Ops[i]
		switch op.Kind {
		case schedule.Calc:
			x.computed += op.Picoseconds()
		case schedule.Send:
			x.sent["all"]++
			x.bytes["send"] += int64(op.Size)
		case schedule.Receive:
			x.received["all"]++
		case schedule.Collective:
			n := int64(len(s.Members(op.Peer)))
			key := fmt.Sprint(schedule.Operation(op.Tag), " of ", n)
			x.calls[key]++
			whole := int64(op.Size)
			if schedule.Operation(op.Tag) == schedule.AllGather {
				whole *= n
			}
			x.bytes[key] += whole / n * (n - 1)
		}
	}
	return x
}

// only returns the schedule of one rank of a job.
func (t *Train) only(rank int) *schedule.Schedule {
	b := schedule.NewBuilder(t.Ranks())
	t.write(b, rank)
	s := b.Schedule()
	s.Groups = make([][]uint32, len(t.known))
	for i, g := range t.known {
		if g != nil {
			s.Groups[i] = g.ranks
		}
	}
	return s
}

// What an inner rank of the worked example sends, to the byte.
func TestMessagesOfTheWorkedExample(t *testing.T) {
	job := read(t, worked)
	rank := job.rank(place{tensor: 3, data: 5, stage: 4})
	x := sumsOf(job.only(rank), rank)
	expect(t, "messages between stages", x.sent["all"], 2*64)
	expect(t, "bytes between stages", x.bytes["send"], 1_073_741_824)
	expect(t, "gathers of tensor groups", x.calls["all-gather of 8"], 4*10*64)
	expect(t, "scatters of tensor groups", x.calls["reduce-scatter of 8"], 4*10*64)
	expect(t, "bytes of tensor groups", x.bytes["all-gather of 8"]+x.bytes["reduce-scatter of 8"], 300_647_710_720)
	expect(t, "bytes of gradients", x.bytes["reduce-scatter of 16"], 4_011_417_600)
	expect(t, "bytes of parameters", x.bytes["all-gather of 16"], 2_005_708_800)
	whole := read(t, with(worked, "zero", "0", "gradient", "2"))
	x = sumsOf(whole.only(rank), rank)
	expect(t, "bytes of an all-reduce", 2*x.bytes["all-reduce of 16"], 4_011_417_600)
	inside := read(t, with(worked, "domain", "8"))
	x = sumsOf(inside.only(rank), rank)
	expect(t, "messages between stages", x.sent["all"], 2*64)
	expect(t, "operations in a domain", x.calls["all-gather of 8"]+x.calls["reduce-scatter of 8"], 0)
}

// timeOf returns how long a step takes in which messages take no time, in picoseconds.
func timeOf(t *testing.T, job *Train) int64 {
	t.Helper()
	s, err := job.Schedule().Expanded()
	check.Must(t, err)
	by := loggops.LogGOPSim // forgets times between processors
	if job.Overlap != "none" {
		by = loggops.ATLAHS // has no order among what begins at the same time on one
	}
	r, err := loggops.Run(context.Background(), s, loggops.Parameters{Eager: 1 << 40}, by)
	check.Must(t, err)
	var last units.Time
	for _, end := range r.Ends {
		last = max(last, end)
	}
	return int64(last)
}

// Where messages take no time, a pipeline takes the time of the formula: the micro-batches and p-1 more of 1F1B, and
// (p-1)/v more of interleaved 1F1B.
func TestBubblesOfPipelines(t *testing.T) {
	for _, x := range []struct{ stages, chunks, batches int }{
		{1, 1, 1}, {1, 1, 5}, {2, 1, 1}, {2, 1, 7}, {4, 1, 3}, {4, 1, 8}, {8, 1, 64}, {2, 2, 4}, {4, 2, 8}, {4, 5, 12}, {8, 5, 16}, {8, 10, 64},
	} {
		for _, overlap := range []string{"all", "none"} {
			job := read(t, with(worked, "hidden", "64", "ffn", "64", "sequence", "64", "data", "1", "tensor", "1", "overlap", overlap, "flops", "1e9", "vocab", "1", // whole nanoseconds
				"pipeline", fmt.Sprint(x.stages), "chunks", fmt.Sprint(x.chunks), "batch", fmt.Sprint(x.batches)))
			one := 3 * int64(job.layersOfChunk()) * (job.time(job.projectionFLOPs()) + job.time(job.scoreFLOPs(job.Sequence)) + job.time(job.mlpFLOPs()))
			want := one * int64(x.batches*x.chunks+x.stages-1)
			got := timeOf(t, job)
			words := 3 * job.time(job.outputFLOPs()) * int64(x.batches) // of the last stage
			if got < want || got > want+words {
				t.Errorf("%d stages, %d chunks, %d micro-batches, overlap %s: %d ps; expected %d", x.stages, x.chunks, x.batches, overlap, got, want)
			}
		}
	}
}
