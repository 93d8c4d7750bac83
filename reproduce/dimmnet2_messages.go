package reproduce

import (
	"cmp"
	"slices"

	"musubi"
	"musubi/units"
	"musubi/workload"
)

// allSizes are the sizes of the papers' curves.
const allSizes = "bytes=8..512KiB"

// measurement is what a paper publishes of a measurement, and what the first model predicted of it.
type measurement struct {
	kind             Kind
	published, first float64
}

// addMeasured appends a cell for a measurement if it is published, or else a prediction.
func (b *bench) addMeasured(m *measurement, item, cell, unit string, got float64) {
	if m == nil {
		b.predict(item, cell, unit, got)
		return
	}
	b.add(m.kind, item, cell, unit, m.published, got).firstly(m.first)
}

// halfTrips are the halves of round trips of 8 bytes that [I] publishes. That of PUSH fixes
// swif.alpha. Those with a copy stay low: the authors' own sum of the steps does, too.
var halfTrips = map[string]*measurement{
	"PUSH, not copied":                 {Calibrated, 1.74, 1.628},
	"IPUSH, not copied":                {Predicted, 1.78, 1.667},
	"PUSH, copied by a cached window":  {Predicted, 3.84, 3.03},
	"IPUSH, copied by a cached window": {Predicted, 3.89, 3.09},
}

// Items whose errors have bands of their own.
const (
	dimmnet2HalfTrip   = "half a round trip of 8 B"
	dimmnet2CopiedTrip = "half a round trip of 8 B, with a copy"
	dimmnet2Peak       = "peak of a ping-pong ([I])"
	dimmnet2Fall       = "length of messages at that peak, beyond which bandwidth falls ([I])"
)

// dimmnet2RoundTrips are the round trips of 8 bytes. Polling makes each of them different, so many
// are averaged.
func dimmnet2RoundTrips(b *bench) error {
	for _, v := range variants("botf", "push", "ipush") {
		us, err := b.halfTrip("", v.settings("bytes=8")...)
		if err != nil {
			return err
		}
		item := dimmnet2HalfTrip
		if v.copying != "none" {
			item = dimmnet2CopiedTrip
		}
		b.addMeasured(halfTrips[v.name], item, v.name, "us", us)
	}
	return nil
}

// halfTrip returns half of the round trip time of a message in microseconds.
func (b *bench) halfTrip(machine string, settings ...string) (float64, error) {
	rows, err := b.measure("latency", musubi.Scenario{Workload: "pingpong", Machine: machine}, append(settings, "iterations=500")...)
	if err != nil {
		return 0, err
	}
	return rows[0].Value, nil
}

// dimmnet2Curves are the bandwidths of messages that go back and forth.
func dimmnet2Curves(b *bench) error {
	for _, v := range variants("push", "ipush") {
		item := "bandwidth, ping-pong: " + v.name
		if err := b.curves("pingpong", v.settings(allSizes), quantity{"bandwidth", item}); err != nil {
			return err
		}
	}
	return nil
}

// dimmnet2Streams are the bandwidths of messages that are sent one after the other without waiting.
func dimmnet2Streams(b *bench) error {
	for _, v := range variants("push", "ipush") {
		if v.copying != "none" {
			continue
		}
		item := "bandwidth, message after message: " + v.name
		if err := b.curves("stream", v.settings(allSizes, "iterations=20"), quantity{"bandwidth", item}); err != nil {
			return err
		}
	}
	return nil
}

// quantity is a metric of a workload as an item of a paper.
type quantity struct{ metric, item string }

// curves appends, for each quantity, a predicted cell for each size of message.
func (b *bench) curves(name string, settings []string, quantities ...quantity) error {
	rows, err := b.rows(musubi.Scenario{Workload: name}, settings...)
	if err != nil {
		return err
	}
	for _, q := range quantities {
		for _, r := range only(q.metric, rows) {
			b.predict(q.item, units.Bytes(r.Bytes).String(), r.Unit, r.Value)
		}
	}
	return nil
}

// peaks are the highest bandwidths of a ping-pong that [I] publishes. Those of PUSH fix
// memory_send.next and processor.copy_line.
var peaks = map[string]*measurement{
	"PUSH, not copied":                 {Calibrated, 644, 641.7},
	"IPUSH, not copied":                {Predicted, 643, 610.1},
	"PUSH, copied by a cached window":  {Calibrated, 242, 282},
	"IPUSH, copied by a cached window": {Predicted, 241, 276},
}

// dimmnet2Peaks are the highest bandwidths of messages that go back and forth, and with a copy the
// size beyond which bandwidth falls.
func dimmnet2Peaks(b *bench) error {
	for _, v := range variants("push", "ipush") {
		m := peaks[v.name]
		if m == nil {
			continue
		}
		rows, err := b.measure("bandwidth", musubi.Scenario{Workload: "pingpong"}, v.settings("bytes=16KiB..512KiB")...)
		if err != nil {
			return err
		}
		best := slices.MaxFunc(rows, func(p, q workload.Row) int { return cmp.Compare(p.Value, q.Value) })
		b.addMeasured(m, dimmnet2Peak, v.name, "MB/s", best.Value)
		if v.copying != "none" {
			b.addMeasured(&measurement{m.kind, 64, 512}, dimmnet2Fall, v.name, "KiB", float64(best.Bytes)/1024)
		}
	}
	return nil
}

// peak returns the bandwidth of large messages one after the other in MB/s.
func (b *bench) peak(machine string, settings ...string) (float64, error) {
	settings = append(settings, "bytes=512KiB", "iterations=20")
	rows, err := b.measure("bandwidth", musubi.Scenario{Workload: "stream", Machine: machine}, settings...)
	if err != nil {
		return 0, err
	}
	return rows[0].Value, nil
}
