package reproduce

import (
	"fmt"

	"musubi"
	"musubi/units"
)

// allSizes are the sizes of the papers' curves.
const allSizes = "bytes=8..512KiB"

// dimmnet2RoundTrips are the round trips of 8 bytes. Polling makes each of them different, so many
// are averaged.
func dimmnet2RoundTrips(b *bench) error {
	for _, v := range variants("botf", "push", "ipush") {
		us, err := b.roundTrip("", v.settings("bytes=8")...)
		if err != nil {
			return err
		}
		b.predict("round trip of 8 B", v.name, "us", us)
	}
	return nil
}

// roundTrip returns the round trip time of a message in microseconds.
func (b *bench) roundTrip(machine string, settings ...string) (float64, error) {
	rows, err := b.measure("latency", musubi.Scenario{Workload: "pingpong", Machine: machine}, append(settings, "iterations=500")...)
	if err != nil {
		return 0, err
	}
	return 2 * rows[0].Value, nil
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

// dimmnet2BOTF is continuous BOTF, and the interval at which a host that polls for a free window
// observes that messages have left.
func dimmnet2BOTF(b *bench) error {
	for _, cache := range []string{"warm", "cold"} {
		for windows := range 4 {
			settings := []string{fmt.Sprint("windows=", windows+1), "cache=" + cache, "iterations=300", pollOfC}
			which := fmt.Sprintf("cache %s, windows in turn: %d", cache, windows+1)
			err := b.curves("botf", settings,
				quantity{"bandwidth", "continuous BOTF, " + which},
				quantity{"interval", "continuous BOTF, interval that the host observes, " + which})
			if err != nil {
				return err
			}
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

// dimmnet2Peak is the only bandwidth that is known here. Nothing was calibrated on it: a receiver
// that takes a packet of 496 bytes in the 77 clocks of the table of PUSH gets 644.2 MB/s. As that
// is arithmetic, it is not called a prediction.
func dimmnet2Peak(b *bench) error {
	mbps, err := b.peak("", "mechanism=push")
	if err != nil {
		return err
	}
	b.add(Derived, "bandwidth between SO-DIMMs, peak ([I])", "PUSH", "MB/s", 644, mbps)
	mbps, err = b.peak("", "mechanism=ipush")
	b.predict("bandwidth between SO-DIMMs, peak", "IPUSH", "MB/s", mbps)
	return err
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
