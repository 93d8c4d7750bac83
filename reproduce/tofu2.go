package reproduce

import (
	"fmt"
	"strings"

	"musubi"
	"musubi/workload"
)

// Items of Ajima et al.: Tofu Interconnect 2 (2014) [A], and of Hatanaka, Ogura, Takagi,
// Hori and Ishikawa: Prototype Implementation and Evaluation of an MPI Persistent
// Neighborhood Collective Operation Using Tofu2 Protocol Offloading Capability (2016) [H].
const (
	tofu2Put      = "put of 8 B to an adjacent node ([A]), half a round trip"
	tofu2Slope    = "data of longer puts by a queue, 32 to 64 KiB ([H], slope)"
	tofu2FAST     = "exchange of 16 KiB, two neighbours ([H])"
	tofu2Exchange = "exchange with two neighbours on a ring of 36 nodes"
	tofu2Ratio    = "the same, MRC relative to FAST"
	tofu2Overlap  = "part of its waiting time that a computation of the same length hides"
	tofu2Saved    = "part of its time that a computation of the same length saves"
	tofu2Queues   = "exchange with eight neighbours on a 4x4 torus, by number of queues"
)

// The networks, of adjacent nodes, and the lengths: those of [H] are 0 to 65,535 in steps
// of 1,024.
const (
	tofu2Ring  = "tofu:8x1x1x1x1x1"
	tofu2Nodes = "tofu:3x1x1x2x3x2" // of [H], where neighbours of the ring are adjacent
	tofu2Torus = "tofu:4x4x1x1x1x1"
	tofu2Bytes = "bytes=0,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,48KiB,65535"
)

// tofu2Constants are figures of single transfers. A Push takes longer than a put by a queue, as the
// program waits for its completion before it sends again.
func tofu2Constants(b *bench) error {
	rows, err := b.measure("latency", musubi.Scenario{Workload: "pingpong", Topology: tofu2Ring}, "mechanism=queue,push", "bytes=8,32KiB,64KiB")
	if err != nil {
		return err
	}
	queue, push := rows[:3], rows[3]
	b.add(Calibrated, tofu2Put, "by a queue", "us", 0.71, queue[0].Value)
	b.predict(tofu2Put, "by Push", "us", push.Value)
	b.add(Calibrated, tofu2Slope, "data by time", "MB/s", 10_000, float64(queue[2].Bytes-queue[1].Bytes)/(queue[2].Value-queue[1].Value))
	return nil
}

// tofu2Line is the line that the measured times of FAST lie on, in us: it begins with the
// shortest messages.
func tofu2Line(bytes int) float64 { return 3.4 + float64(bytes)/10_000 }

// tofu2First is what the first model gave for FAST, when the measured times were not known here. It
// spent the time of software where completions are taken, which the transfer hides. 16 KiB it was
// calibrated on, as the present one is.
var tofu2First = map[int]float64{1 << 10: 3.682, 2 << 10: 3.682, 4 << 10: 3.682, 8 << 10: 4.168, 32 << 10: 6.678, 48 << 10: 8.264, 65535: 9.952}

// tofu2Exchanges are the exchanges of [H], by each protocol.
func tofu2Exchanges(b *bench) error {
	rows, err := b.rows(musubi.Scenario{Workload: "halo", Topology: tofu2Nodes, Place: "ring"},
		"protocol=fast,mrc,prdma", tofu2Bytes, "iterations=20")
	if err != nil {
		return err
	}
	protocol := func(r workload.Row) string { return strings.ToUpper(fmt.Sprint(r.Label("protocol"))) }
	fast := map[int]float64{}
	for _, r := range only("exchange", rows) {
		if protocol(r) == "FAST" {
			fast[r.Bytes] = r.Value
		}
	}
	b.add(Calibrated, tofu2FAST, "FAST", "us", 5, fast[16<<10])
	for _, r := range only("exchange", rows) {
		c := b.point(tofu2Exchange, protocol(r), "us", r.Bytes, r.Value)
		if protocol(r) == "FAST" {
			compareWithLine(c)
		}
	}
	for _, r := range only("exchange", rows) {
		if protocol(r) != "MRC" {
			continue
		}
		c := b.point(tofu2Ratio, "MRC/FAST", "ratio", r.Bytes, r.Value/fast[r.Bytes])
		if r.Bytes == 16<<10 {
			c.publish(1.5).firstly(1.303)
		}
	}
	b.pointsOf(tofu2Overlap, "fraction", only("overlap", rows), protocol)
	b.pointsOf(tofu2Saved, "fraction", only("time-overlap", rows), protocol)
	return nil
}

// compareWithLine gives a cell of FAST its published time. Where no data is sent there is none.
func compareWithLine(c *Cell) {
	switch first, known := tofu2First[c.Point.Bytes]; {
	case known:
		c.publish(tofu2Line(c.Point.Bytes)).firstly(first)
	case c.Point.Bytes > 0:
		c.publish(tofu2Line(c.Point.Bytes)).Kind = Calibrated
	}
}

// tofu2Neighbours are exchanges with more neighbours: by MRC, which has one queue, by FAST, which
// has one for each neighbour, and by all numbers of queues in between.
func tofu2Neighbours(b *bench) error {
	rows, err := b.measure("exchange", musubi.Scenario{Workload: "halo", Topology: tofu2Torus}, "stencil=2d9", "queues=1..8",
		"bytes=0,1KiB,4KiB,16KiB,65535", "iterations=2", "warmup=1")
	if err != nil {
		return err
	}
	b.pointsOf(tofu2Queues, "us", rows, func(r workload.Row) string {
		name := fmt.Sprint(r.Label("queues"))
		if p := r.Label("protocol"); p != "shared" {
			name += fmt.Sprintf(" (%s)", strings.ToUpper(fmt.Sprint(p)))
		}
		return name
	})
	return nil
}

// pointsOf appends a predicted cell for each row, on the curve that name gives.
func (b *bench) pointsOf(item, unit string, rows []workload.Row, name func(workload.Row) string) {
	for _, r := range rows {
		b.point(item, name(r), unit, r.Bytes, r.Value)
	}
}

// point appends a predicted cell that is a point of a curve. It returns the cell, which is good
// until the next one is appended.
func (b *bench) point(item, curve, unit string, bytes int, got float64) *Cell {
	return b.append(Cell{Item: item, Cell: fmt.Sprintf("%s, %d B", curve, bytes), Unit: unit, Got: got, Kind: Predicted,
		Point: &Point{Curve: curve, Bytes: bytes}})
}
