package programs

import (
	"regexp"
	"testing"

	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// Workloads whose data has bytes see that one is wrong, and name rank, place, and both values.
func TestWrongBytesAreSeen(t *testing.T) {
	says := regexp.MustCompile(`^rank \d: workload: what rank \d has of 1000 bytes: byte \d+ (from rank \d|of the sum over ranks 0 to \d) is 0x[0-9a-f]+; expected 0x[0-9a-f]+$`)
	for _, test := range []struct {
		workload string
		settings map[string]string
	}{
		{"collective", ideal.Set("operation=allgather", "bytes=1000", "iterations=1")},
		{"halo", ideal.Set("stencil=1d", "calls=messages", "bytes=1000", "iterations=1")},
		{"unexpected", ideal.Set("bytes=1000", "messages=3")},
		{"pattern", ideal.Set("loop=closed", "bytes=1000", "iterations=1", "warmup=1")},
		{"osu", ideal.Set("test=latency", "bytes=1000", "iterations=1")},
		{"osu", ideal.Set("test=bw", "bytes=1000", "iterations=1")},
		{"osu", ideal.Set("test=bibw", "bytes=1000", "iterations=1")},
		{"osu", ideal.Set("test=mbw_mr", "bytes=1000", "iterations=1")},
		{"osu", ideal.Set("test=allreduce", "bytes=1000", "iterations=1")},
		{"osu", ideal.Set("test=ialltoall", "bytes=1000", "iterations=1")},
	} {
		load, err := Lookup(test.workload)
		if err != nil {
			t.Fatal(err)
		}
		for _, corrupt := range []int{0, 250} { // shorter messages are of the protocol, and times
			world := ideal.World{Latency: units.Microsecond, Corrupt: corrupt}
			_, err := world.Measure(load, test.settings, workload.Env{Ranks: 4})
			if corrupt == 0 && err != nil {
				t.Errorf("%s %v: %v", test.workload, test.settings, err)
			}
			if corrupt > 0 && (err == nil || !says.MatchString(err.Error())) {
				t.Errorf("%s %v: error %v; expected one that names the byte", test.workload, test.settings, err)
			}
		}
	}
}
