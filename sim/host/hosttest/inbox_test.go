package hosttest_test

import (
	"reflect"

	"musubi/sim/host"
)

// inbox is what a rank keeps of its receive rings. It is looked at from outside: a test file in package host
// that other tests use would make go compile all that stands on that package again.
func inbox(r *host.Process) reflect.Value { return reflect.ValueOf(r).Elem().FieldByName("inbox") }

// counter returns a field of ring.Counters of a rank's rings.
func counter(r *host.Process, name string) uint64 {
	return inbox(r).FieldByName("rx").FieldByName("counters").FieldByName(name).Uint()
}

// firstRing returns the size of the first ring of a rank.
func firstRing(r *host.Process) int {
	layout := inbox(r).FieldByName("layout").Elem().FieldByName("Layout").Elem()
	return int(layout.FieldByName("rings").Index(0).FieldByName("Size").Int())
}
