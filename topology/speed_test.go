package topology_test

import (
	"testing"

	"musubi/topology"
)

func TestSpeedTextIsReadBack(t *testing.T) {
	for _, width := range []int{1, 2, 4, 8, 12} {
		for _, lane := range []string{"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"} {
			s := topology.Speed{Width: width, Lane: lane}
			if got, ok := topology.ParseSpeed(s.String()); !ok || got != s {
				t.Errorf("%v was read back as %v", s, got)
			}
		}
	}
	for _, text := range []string{"", "x", "4x", "xNDR", "4", "99xNDR", "0xSDR", "-4xSDR", "4x???", "??"} {
		if s, ok := topology.ParseSpeed(text); ok {
			t.Errorf("%q was read as %v", text, s)
		}
	}
}

// TestLanesOfAnyName reads speeds that are not known, of capital letters and digits.
func TestLanesOfAnyName(t *testing.T) {
	for text, ok := range map[string]bool{"4xAZ09": true, "12xQ": true, "1xNDR": true, "13xNDR": false, "0xNDR": false, "4x": false,
		"4x@A": false, "4x[A": false, "4x/1": false, "4x:1": false, "4xa": false} {
		if s, got := topology.ParseSpeed(text); got != ok {
			t.Errorf("%q is %v, %v; want %v", text, s, got, ok)
		}
	}
}
