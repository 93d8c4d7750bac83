package musubi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"musubi/rings"
	"musubi/rma"
	"musubi/units"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// gather is a program in which all ranks send two messages to rank 0, which takes
// none before all are there.
func gather(p rma.Process) error {
	if p.Rank() > 0 {
		for i := 1; i <= 2; i++ {
			op, err := p.IPush(0, make([]byte, 100*i*p.Rank()), rma.DMA)
			if err != nil {
				return err
			}
			if err := p.Wait(op); err != nil {
				return err
			}
		}
		return nil
	}
	p.Compute(10 * units.Millisecond)
	receiver := rma.NewReceiver(p)
	for range 2 * (p.Size() - 1) {
		if _, err := receiver.Receive(); err != nil {
			return err
		}
	}
	return nil
}

func TestRecordOfAProgram(t *testing.T) {
	for _, machine := range []string{"dimmnet2", "rhinet2"} {
		t.Run(machine, func(t *testing.T) {
			s := Scenario{Machine: machine, Ranks: 4, Seed: 3, Record: true}
			result, err := Run(t.Context(), s, gather)
			if err != nil {
				t.Fatal(err)
			}
			system, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			scenario, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			want := &rings.Record{
				Scenario: scenario, Packet: int(system.Machine.Packet.Payload),
				Processes: []rings.Process{{Rank: 0, Peak: 1800, Partners: []rings.Partner{
					{Rank: 1, Messages: 2, Bytes: 300, Largest: 200, Burst: 300},
					{Rank: 2, Messages: 2, Bytes: 600, Largest: 400, Burst: 600},
					{Rank: 3, Messages: 2, Bytes: 900, Largest: 600, Burst: 900},
				}}, {Rank: 1}, {Rank: 2}, {Rank: 3}},
			}
			if diff := gocmp.Diff(want, result.Record); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Who watches does not disturb.
func TestRecordingChangesNothing(t *testing.T) {
	s := Scenario{Machine: "dimmnet2", Ranks: 5}
	plain, err := Run(t.Context(), s, gather)
	if err != nil {
		t.Fatal(err)
	}
	s.Record = true
	recorded, err := Run(t.Context(), s, gather)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Record != nil {
		t.Error("a record that nobody has asked for")
	}
	ignore := gocmp.Options{cmpopts.IgnoreFields(Result{}, "Record"), cmpopts.IgnoreFields(Simulation{}, "Wall")}
	if diff := gocmp.Diff(plain, recorded, ignore); diff != "" {
		t.Errorf("-plain +recorded:\n%s", diff)
	}
}

// Rings of the scenario take the place of those that the program asks for.
func TestRingsOfTheScenario(t *testing.T) {
	program := func(p rma.Process) error {
		if err := p.Rings(rma.SharedRing(1 << 20)); err != nil {
			return err
		}
		return gather(p)
	}
	s := Scenario{Machine: "dimmnet2", Ranks: 4}
	wide, err := Run(t.Context(), s, program)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		s.Rings = append(s.Rings, rma.SharedRing(496))
	}
	narrow, err := Run(t.Context(), s, program)
	if err != nil {
		t.Fatal(err)
	}
	if wide.Rings.Stalls != 0 || narrow.Rings.Stalls == 0 || narrow.Rings.StallTime == 0 {
		t.Errorf("%+v with rings of 1 MiB, %+v with rings of a packet; expected stalls in the second", wide.Rings, narrow.Rings)
	}
	if a, b := wide.Rings.Messages, narrow.Rings.Messages; a != 6 || b != 6 {
		t.Errorf("%d and %d messages; expected 6", a, b)
	}
	stalls, times := metric(narrow, "ring_stalls"), metric(narrow, "ring_stall_time")
	if len(stalls) != 1 || stalls[0].Value != float64(narrow.Rings.Stalls) || stalls[0].Unit != "count" {
		t.Errorf("rows %+v; expected one with %d stalls", stalls, narrow.Rings.Stalls)
	}
	if len(times) != 1 || times[0].Value != narrow.Rings.StallTime.Microseconds() || times[0].Unit != "us" {
		t.Errorf("rows %+v; expected one with %v", times, narrow.Rings.StallTime)
	}
}

func TestRowsAboutRingsFollowThoseOfTheWorkload(t *testing.T) {
	var order []string
	for _, row := range mustRun(t, Scenario{Machine: "dimmnet2", Ranks: 2, Workload: "pingpong", Set: set("bytes=8", "mechanism=ipush")}).Rows {
		if len(order) == 0 || order[len(order)-1] != row.Metric {
			order = append(order, row.Metric)
		}
	}
	want := "latency bandwidth ring_stalls ring_stall_time packet_latency utilisation"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("rows %s; want %s", got, want)
	}
	without := mustRun(t, Scenario{Machine: "dimmnet2", Ranks: 2, Workload: "pingpong", Set: set("bytes=8", "mechanism=push")})
	if rows := metric(without, "ring_stalls"); len(rows) > 0 {
		t.Errorf("%+v of a program that uses no rings", rows)
	}
}

func TestWrongRings(t *testing.T) {
	private := rma.PrivateRings(2, 496)
	for _, test := range []struct {
		name     string
		scenario Scenario
		key, err string
	}{
		{"too few", Scenario{Machine: "dimmnet2", Ranks: 3, Rings: []rma.Rings{private, private}}, "rings", "receive rings for 2 ranks, but there are 3"},
		{"too many", Scenario{Machine: "loggp", Ranks: 1, Rings: []rma.Rings{private, private}}, "rings", "receive rings for 2 ranks, but there are 1"},
		{"below a packet", Scenario{Machine: "rhinet2", Ranks: 2, Rings: []rma.Rings{{}, private}}, "rings", "rank 1 on machine rhinet2: rma: ring 0 has 496 bytes"},
		{"open loop", Scenario{Machine: "rhinet2", Set: set("loop=open"), Workload: "pattern", Ranks: 1, Rings: []rma.Rings{{}}}, "rings", "no use for rings: open-loop traffic"},
		{"record of an open loop", Scenario{Machine: "rhinet2", Set: set("loop=open"), Workload: "pattern", Record: true}, "record", "nothing to record: open-loop traffic"},
		{"breakdown of what has no stages", Scenario{Machine: "rhinet2", Workload: "pingpong", Breakdown: true}, "breakdown", "no named stages"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := RunWorkload(t.Context(), test.scenario)
			var input *InputError
			if !errors.As(err, &input) || input.Key != test.key || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v; expected an InputError of %s with %q", err, test.key, test.err)
			}
		})
	}
}

func TestScenariosSurviveTheirRecord(t *testing.T) {
	var s Scenario
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if v.Type().Field(i).Tag.Get("json") == "-" {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(fmt.Sprint("text ", i))
		case reflect.Int:
			f.SetInt(int64(i) + 1)
		case reflect.Uint64:
			f.SetUint(1<<64 - 1)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Map:
			s.Set = set("bytes=8", "switch.latency=1ns")
		default:
			t.Fatalf("field %s has a kind that this test does not know", v.Type().Field(i).Name)
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Recorded(&rings.Record{Scenario: text})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(s, got); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestRecordedRunsRunAgain(t *testing.T) {
	s := Scenario{Machine: "dimmnet2", Ranks: 4, Workload: "pingpong", Set: set("bytes=8,4KiB", "mechanism=ipush"), Seed: 7, Record: true}
	first := mustRun(t, s)
	var file bytes.Buffer
	if err := first.Record.Write(&file); err != nil {
		t.Fatal(err)
	}
	record, err := rings.ReadRecord(&file, "pingpong.json")
	if err != nil {
		t.Fatal(err)
	}
	system, err := BuildRecorded(record)
	if err != nil {
		t.Fatal(err)
	}
	again, err := system.RunWorkload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(first.Rows, again.Rows); diff != "" {
		t.Errorf("-first +again:\n%s", diff)
	}
	if err := system.UseRings(make([]rma.Rings, 3)); err == nil || !strings.Contains(err.Error(), "rings for 3 ranks, but there are 4") {
		t.Errorf("error %v; expected that there are 4 ranks", err)
	}
	if system.Scenario.Rings != nil {
		t.Error("rings that do not fit are in the scenario")
	}
}

func TestRecordsThatCannotRunAgain(t *testing.T) {
	record := func(scenario string, ranks, packet int) *rings.Record {
		return &rings.Record{Scenario: json.RawMessage(scenario), Packet: packet, Processes: make([]rings.Process, ranks)}
	}
	for _, test := range []struct {
		name   string
		record *rings.Record
		err    string
	}{
		{"nothing", record("", 2, 496), "recorded scenario: EOF; expected one that"},
		{"unknown key", record(`{"workloads":"pingpong"}`, 2, 496), `unknown field "workloads"`},
		{"a program", record(`{"on":"dimmnet2"}`, 2, 496), "no workload that could be run again"},
		{"unknown machine", record(`{"workload":"pingpong","on":"dimmnet3"}`, 2, 496), `recorded scenario: unknown machine "dimmnet3"`},
		{"other ranks", record(`{"workload":"pingpong","on":"dimmnet2","ranks":3}`, 2, 496), "was of 2 ranks with packets of 496 bytes, and is now of 3 with 496"},
		{"other packets", record(`{"workload":"pingpong","on":"dimmnet2","ranks":2}`, 2, 500), "was of 2 ranks with packets of 500 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := BuildRecorded(test.record)
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v; expected one line with %q", err, test.err)
			}
		})
	}
}

// exchange is a program in which ranks send each other messages at random: who, how
// much and when follows from a seed.
type exchange struct {
	plan    [][]sending // by sender
	arrives []int       // messages for each rank
}

type sending struct {
	to, bytes int
	pause     units.Time
}

func newExchange(ranks int, rng *rand.Rand) *exchange {
	e := &exchange{plan: make([][]sending, ranks), arrives: make([]int, ranks)}
	for from := range e.plan {
		for range rng.IntN(30) {
			s := sending{to: rng.IntN(ranks), bytes: rng.IntN(1 + rng.IntN(4000)), pause: units.Time(rng.IntN(20)) * units.Microsecond}
			e.plan[from] = append(e.plan[from], s)
			e.arrives[s.to]++
		}
	}
	return e
}

// run sends what the plan says. Between messages it takes some of what has come,
// and in the end all that is left.
func (e *exchange) run(p rma.Process) error {
	receiver := rma.NewReceiver(p)
	left := e.arrives[p.Rank()]
	for i, s := range e.plan[p.Rank()] {
		p.Compute(s.pause)
		if _, err := p.IPush(s.to, make([]byte, s.bytes), rma.DMA); err != nil {
			return err
		}
		arrived, err := p.Poll()
		if err != nil {
			return err
		}
		if arrived && i%3 > 0 {
			if _, err := receiver.Receive(); err != nil {
				return err
			}
			left--
		}
	}
	for ; left > 0; left-- {
		if _, err := receiver.Receive(); err != nil {
			return err
		}
	}
	return nil
}

// A run whose own bursts fit its rings stalls nowhere, whatever the rings are. The
// bursts are not just those that the rings were planned for, as other rings change
// when a program sees what.
func TestPredictedRoomIsRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(2005, 2006))
	roomy, tight := 0, 0
	for run := range 20 {
		ranks := 2 + rng.IntN(5)
		e := newExchange(ranks, rng)
		s := Scenario{Machine: "dimmnet2", Ranks: ranks, Record: true}
		recorded, err := Run(t.Context(), s, e.run)
		if err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		if recorded.Record.Area().Partners == 0 {
			continue
		}
		for budget := 32 << 10; budget >= 4<<10; budget /= 2 {
			s.Rings, err = rings.Make(recorded.Record, budget)
			if err != nil {
				t.Fatal(err)
			}
			planned, err := Run(t.Context(), s, e.run)
			if err != nil {
				t.Fatalf("run %d, budget %d: %v", run, budget, err)
			}
			lack, err := rings.Predict(planned.Record, s.Rings)
			switch {
			case err != nil:
				t.Fatal(err)
			case lack > 0:
				tight++
			case planned.Rings.Stalls > 0:
				t.Errorf("run %d of %d ranks, budget %d: %d stalls, but the bursts fit %+v", run, ranks, budget, planned.Rings.Stalls, s.Rings)
			default:
				roomy++
			}
		}
	}
	if roomy < 20 || tight < 5 {
		t.Errorf("%d runs with room and %d without; expected more of each kind", roomy, tight)
	}
}
