package nic

import "testing"

func TestOnce(t *testing.T) {
	var o Once
	for _, test := range []struct {
		source, sequence uint16
		want             bool
	}{{0, 0, true}, {0, 0, false}, {1, 0, true}, {0, 2, true}, {0, 1, true}, {0, 1, false}, {0, 65535, true}, {0, 500, true}, {0, 500, false}} {
		if got := o.Fresh(test.source, test.sequence); got != test.want {
			t.Errorf("number %d of %d is fresh: %v; expected %v", test.sequence, test.source, got, test.want)
		}
	}
}
