package access_test

import (
	"strings"
	"testing"

	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/internal/ideal"
)

func TestIntruderRefusesParameters(t *testing.T) {
	guarded := workload.Env{Ranks: 3, Payload: 64, Guarded: true}
	for _, test := range []struct {
		setting, says string
		env           workload.Env
	}{
		{"intruder=1", "do not check the right to access memory; expected a machine where they do", workload.Env{Ranks: 3}},
		{"intruder=0", "rank 0 is the victim; expected 1 to 2", guarded},
		{"intruder=3", "expected a rank, 0 to 2", guarded},
		{"attempts=1", "expected two ranks or more", workload.Env{Ranks: 1, Payload: 64, Guarded: true}},
		{"bytes=65", "expected 1 to 64B, the data of a packet", guarded},
		{"bytes=0", "expected sizes of 1 to", guarded},
		{"attempts=0", "expected a whole number from 1", guarded},
		{"pause=soon", "expected a time", guarded},
		{"access=steal", "expected all, or a list out of write, read, add", guarded},
		{"stop=perhaps", "expected all, or a list out of false, true", guarded},
	} {
		_, err := access.Intruder.Prepare(ideal.Set(test.setting), test.env)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
}
