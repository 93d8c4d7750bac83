package reproduce

import (
	"fmt"

	"musubi"
	"musubi/workload"
)

// dimmnet2BOTF is continuous BOTF, and the interval at which a host that polls for a free window
// observes that messages have left.
func dimmnet2BOTF(b *bench) error {
	for _, cache := range []string{"warm", "cold"} {
		for windows := range 4 {
			settings := []string{fmt.Sprint("windows=", windows+1), "cache=" + cache, "iterations=300", "bytes=8..496,504,632,640,1000,1128,1136,1488"}
			which := fmt.Sprintf("cache %s, windows in turn: %d", cache, windows+1)
			err := b.curves("botf", append(settings, hostOfC...),
				quantity{"bandwidth", "continuous BOTF, " + which},
				quantity{"interval", "continuous BOTF, interval that the host observes, " + which})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// stepsOnly lets a host see that a window is free as soon as it is, so that only the steps of the
// tables of [C] remain.
const stepsOnly = "processor.poll_register=1ns"

// Items of continuous BOTF by one window whose errors have bands of their own.
const (
	dimmnet2Polling = "BOTF by one window, as a host sees it that polls ([C])"
	dimmnet2Lines   = "BOTF by one window: end of the straight lines where the SWIF is the bottleneck ([C], fig. 10)"
)

// dimmnet2Polls is how long a host that polls for a free window waits for it in vain. The longest of
// these waits, at 152 bytes, fixes where in a poll it looks.
func dimmnet2Polls(b *bench) error {
	const sizes = "bytes=8..496:8"
	seen, err := b.intervals(append([]string{sizes}, hostOfC...)...)
	if err != nil {
		return err
	}
	steps, err := b.intervals(append([]string{sizes, stepsOnly}, hostOfC...)...)
	if err != nil {
		return err
	}
	longest := 0
	wait := func(i int) float64 { return seen[i].Value - steps[i].Value }
	for i := range seen {
		if wait(i) > wait(longest) {
			longest = i
		}
	}
	d, err := b.breakdown(append([]string{"mechanism=botf", "bytes=8"}, hostOfC...)...)
	if err != nil {
		return err
	}
	swif, err := d.microseconds("SWIF, sending", "SWIF, sending")
	if err != nil {
		return err
	}
	b.addMeasured(&measurement{Predicted, 0.922, 0.705}, dimmnet2Polling, "8 B, with the SWIF", "us", seen[0].Value+swif)
	b.addMeasured(&measurement{Calibrated, 152, 208}, dimmnet2Polling, "longest gap to the sum of the steps, at", "B", float64(seen[longest].Bytes))
	b.addMeasured(&measurement{Predicted, 0.411, 0.351}, dimmnet2Polling, "that gap", "us", wait(longest))
	return nil
}

// intervals measures continuous BOTF by one window.
func (b *bench) intervals(settings ...string) ([]workload.Row, error) {
	return b.measure("interval", musubi.Scenario{Workload: "botf"}, append(settings, "windows=1", "iterations=1000")...)
}

// dimmnet2SWIF finds where the SWIF is the bottleneck of messages of several packets: the last packet
// is ready before that in front of it is sent. Then the host takes as long whatever the length of the
// last, whose own time in the SWIF is linear.
func dimmnet2SWIF(b *bench) error {
	const flat = 0.003 // us; the next step is 0.005
	rows, err := b.intervals(append([]string{"bytes=504..1488:8", stepsOnly}, hostOfC...)...)
	if err != nil {
		return err
	}
	for _, line := range []struct{ from, to, next int }{{504, 632, 1000}, {1000, 1128, 1496}} {
		var first, end *workload.Row
		for i := range rows {
			r := &rows[i]
			switch {
			case r.Bytes == line.from:
				first, end = r, r
			case first != nil && r.Bytes < line.next && r.Value < first.Value+flat:
				end = r
			}
		}
		b.add(Predicted, dimmnet2Lines, fmt.Sprintf("from %d B", line.from), "B", float64(line.to), float64(end.Bytes))
	}
	return nil
}
