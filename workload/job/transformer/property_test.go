package transformer

import (
	"context"
	"fmt"
	"testing"

	"musubi/internal/check"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
	"musubi/workload/job/param"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	check.DrawLess()
	check.CollectLess()
	m.Run()
}

// small draws a step of a small model.
func small(t *rapid.T) *Train {
	pick := func(name string, of ...int) string { return fmt.Sprint(rapid.SampledFrom(of).Draw(t, name)) }
	text := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	settings := map[string]string{
		"layers": "4", "hidden": "64", "ffn": "96", "heads": "8", "kv-heads": pick("kv-heads", 1, 2, 8), "vocab": "32", "gate": text("gate", "on", "off"),
		"experts": pick("experts", 1, 1, 4), "top-k": pick("top-k", 1, 1, 2), "sequence": "64", "micro": pick("micro", 1, 2),
		"tensor": pick("tensor", 1, 2, 4), "context": pick("context", 1, 2, 3, 4), "data": pick("data", 1, 2, 3), "pipeline": pick("pipeline", 1, 2, 4), "chunks": pick("chunks", 1, 2),
		"expert": pick("expert", 1, 2, 4), "batch": pick("batch", 4, 8, 12, 24), "sequence-parallel": text("sequence-parallel", "on", "off"), "zero": pick("zero", 0, 1, 2, 3),
		"recompute": text("recompute", "on", "off"), "overlap": text("overlap", "none", "data", "all"), "domain": pick("domain", 1, 1, 2, 4, 8), "flops": "1e12",
	}
	var job Train
	if err := param.Read(&job, settings); err != nil {
		t.Fatal(err)
	}
	if err := job.Check(); err != nil {
		t.SkipNow() // does not divide
	}
	return &job
}

// Every rank's messages and operations are those of the formulas of docs/jobs.md, each message has its partner, and
// nothing waits for ever.
func TestFormulasAndSchedulesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		job := small(t)
		s := job.Schedule()
		messages, err := s.Expanded()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := loggops.Run(context.Background(), messages, loggops.Parameters{Eager: 1}, loggops.LogGOPSim); err != nil {
			t.Fatal(err)
		}
		if job.Domain.Size > 1 {
			return // there the formulas are of time
		}
		for rank := range job.Ranks() {
			job.compare(t, s, rank)
		}
	})
}

// compare holds a rank's schedule against the formulas.
func (j *Train) compare(t *rapid.T, s *schedule.Schedule, rank int) {
	got, where := sumsOf(s, rank), j.place(rank)
	m, v, layers := int64(j.MicroBatches()), int64(j.Chunks), int64(j.Layers/j.Pipeline)
	check := func(what string, got, want int64) {
		if got != want {
			t.Fatalf("rank %d of %+v: %s: %d; expected %d", rank, *j, what, got, want)
		}
	}
	forwards := int64(1)
	if j.Recompute == "on" {
		forwards = 2
	}
	tokens := int64(j.Micro * j.Sequence / j.Context)
	tensor, context, element := int64(j.Tensor), int64(j.Context), int64(j.Element)

	ends := int64(0) // of the pipeline: they have one neighbour less
	if where.stage == 0 {
		ends++
	}
	if where.stage == j.Pipeline-1 {
		ends++
	}
	boundaries := 2*v - ends
	share := tokens * int64(j.Hidden) * element
	if j.SequenceParallel == "on" {
		share /= tensor
	}
	keys := 2 * tokens * int64(j.KVHeads*j.Hidden/j.Heads) * element / tensor
	rings := m * layers * (forwards*(context-1) + 2*(context-1))
	home := int64(0)
	if context > 1 {
		home = m * layers
	}
	check("messages", got.sent["all"], m*boundaries+m*layers*(forwards+1)*(context-1)+home)
	check("receives", got.received["all"], got.sent["all"])
	check("bytes", got.bytes["send"], m*boundaries*share+(rings+home)*keys)

	blocks := int64(1 + j.TopK) // the attention, and what experts get
	byTensor := map[schedule.Operation]int64{}
	if j.Tensor > 1 {
		all := m * layers * (forwards + 1) * blocks * tokens * int64(j.Hidden) * element / tensor * (tensor - 1)
		if j.SequenceParallel == "on" {
			byTensor[schedule.AllGather], byTensor[schedule.ReduceScatter] = all, all
		} else {
			byTensor[schedule.AllReduce] = all
		}
	}
	dense := layers*(2*int64(j.Hidden)+j.router()) + layers*j.attention()/tensor
	experts := int64(0)
	if j.Experts == 1 {
		dense += layers * j.mlp() / tensor
	} else {
		experts = layers * int64(j.Experts/j.Expert) * j.mlp() / tensor
	}
	if where.stage == 0 {
		dense += j.words() / tensor
	}
	if where.stage == j.Pipeline-1 {
		dense += j.words()/tensor + int64(j.Hidden)
	}
	want := map[schedule.Operation]int64{}
	for o, bytes := range byTensor {
		want[o] += bytes
	}
	for _, part := range []struct{ n, parameters int64 }{{int64(j.copies()), dense}, {int64(j.copies() / j.Expert), experts}} {
		if part.n == 1 {
			continue
		}
		scatters := map[int]int64{0: 0, 1: 1, 2: m, 3: m}[j.ZeRO]
		gathers := map[int]int64{0: 0, 1: 1, 2: 1, 3: 2 * m}[j.ZeRO]
		want[schedule.ReduceScatter] += scatters * part.parameters * int64(j.Gradient) / part.n * (part.n - 1)
		want[schedule.AllGather] += gathers * part.parameters * element / part.n * (part.n - 1)
		if j.ZeRO == 0 {
			want[schedule.AllReduce] += part.parameters * int64(j.Gradient) / part.n * (part.n - 1)
		}
	}
	if j.Experts > 1 && j.Expert > 1 {
		want[schedule.AllToAll] = m * layers * 2 * (forwards + 1) * tokens / tensor * int64(j.TopK*j.Hidden) * element / int64(j.Expert) * int64(j.Expert-1)
	}
	total := map[schedule.Operation]int64{}
	for i := range s.Ranks[rank].Ops {
		if op := &s.Ranks[rank].Ops[i]; op.Kind == schedule.Collective {
			n := int64(len(s.Members(op.Peer)))
			whole := int64(op.Size)
			if schedule.Operation(op.Tag) == schedule.AllGather {
				whole *= n
			}
			total[schedule.Operation(op.Tag)] += whole / n * (n - 1)
		}
	}
	for o := schedule.AllReduce; o <= schedule.Barrier; o++ {
		// Parts are whole bytes, and what a layer has may not divide by the ranks that share it.
		if rest := total[o] - want[o]; rest < -1<<14 || rest > 1<<14 || (j.copies()&(j.copies()-1) == 0 && rest != 0) {
			t.Fatalf("rank %d of %+v: bytes of %v: %d; expected %d", rank, *j, o, total[o], want[o])
		}
	}
}
