package reproduce

import (
	"testing"

	"musubi/sim/machine"
)

// calibration is a parameter of a machine, and the cell that it was chosen for.
type calibration struct{ machine, key, item, cell, unit string }

const (
	nasParts   = "NAS Parallel Benchmarks, parts, network A by DL (table 8)"
	memoryPeak = "peak of a ping-pong ([I])"
)

var calibrations = []calibration{
	{"rhinet2", "nic.start", "bandwidth of PUSH, 1,792 B (text to fig. 8)", "change from one to two switches", "MB/s"},
	{"rhinet2", "host.pio", "barrier of 64 hosts (table 3)", "mesh:4x4, dl, VCs: 2", "us"},
	{"rhinet2", "software.mflops", nasParts, "CG.S.16, computation", "s"},
	{"rhinet2", "software.send", nasParts, "CG.S.16, communication", "s"},
	{"rhinet2", "software.receive", nasParts, "CG.S.16, communication", "s"},
	{"dimmnet2", "swif.alpha", "half a round trip of 8 B", "PUSH, not copied", "us"},
	{"dimmnet2", "memory_send.next", memoryPeak, "PUSH, not copied", "MB/s"},
	{"dimmnet2", "processor.copy_line", memoryPeak, "PUSH, copied by a cached window", "MB/s"},
	{"dimmnet2", "processor.sample", "BOTF by one window, as a host sees it that polls ([C])", "longest gap to the sum of the steps, at", "B"},
	{"tofu2", "host.software", "exchange of 16 KiB, two neighbours ([H])", "FAST", "us"},
	{"tofu2", "bus.rate", tofu2Slope, "data by time", "MB/s"},
	{"tofu2", "nic.start", tofu2Put, "by a queue", "us"},
}

// TestNoParameterIsSetFromAPrediction holds each calibrated parameter to a calibrated cell. Cells
// that only -long or -nightly measures are looked up among those that are recorded.
func TestNoParameterIsSetFromAPrediction(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	known, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]Kind{}
	for _, c := range cells {
		kinds[key(c)] = c.Kind
	}
	for _, c := range calibrations {
		name := key(Cell{Source: c.machine, Item: c.item, Cell: c.cell, Unit: c.unit})
		kind, ok := kinds[name]
		_, isRecorded := known[name]
		if ok && kind != Calibrated {
			t.Errorf("%s was chosen for %s, which is %s", c.key, name, kind)
		}
		if !ok && (*nightly || !isRecorded) {
			t.Errorf("%s: there is no cell %s", c.key, name)
		}
	}
}

// TestEveryCalibratedParameterNamesItsCell compares the list above with the machine files.
func TestEveryCalibratedParameterNamesItsCell(t *testing.T) {
	listed := map[[2]string]bool{}
	for _, c := range calibrations {
		listed[[2]string{c.machine, c.key}] = true
	}
	for _, name := range Sources() {
		m, err := machine.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Parameters() {
			at := [2]string{name, p.Key}
			if p.Kind == machine.Calibrated && !listed[at] {
				t.Errorf("%s: %s is calibrated (%s), and no cell is named for it", name, p.Key, p.Note)
			}
			if p.Kind != machine.Calibrated && listed[at] {
				t.Errorf("%s: %s is listed as calibrated; the machine file says %s", name, p.Key, p.Kind)
			}
		}
	}
}
