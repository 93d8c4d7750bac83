package draft

import (
	"strconv"
	"strings"

	"musubi/topology"
)

// laneGigabits pairs lane rates with the signalling rates in Gbit/s that OpenSM
// and IBDM print for them.
var laneGigabits = []struct{ lane, text string }{
	{"SDR", "2.5"}, {"DDR", "5"}, {"QDR", "10"}, {"FDR10", "FDR10"}, {"FDR", "14"},
	{"EDR", "25"}, {"HDR", "50"}, {"NDR", "100"}, {"XDR", "200"},
}

// SpeedOf makes a speed of a width such as "4x" and a signalling rate. It is
// unknown unless both are known.
func SpeedOf(width, gigabits string) topology.Speed {
	for _, g := range laneGigabits {
		if g.text == gigabits {
			s, _ := topology.ParseSpeed(width + g.lane)
			return s
		}
	}
	return topology.Speed{}
}

// GigabitsOf returns the width and signalling rate of a speed, and false where
// these tools have no word for it.
func GigabitsOf(s topology.Speed) (width, rate string, ok bool) {
	for _, g := range laneGigabits {
		if g.lane == s.Lane {
			return strconv.Itoa(s.Width) + "x", g.text, true
		}
	}
	return "", "", false
}

// Spaced returns a speed after a blank, or nothing if it is unknown.
func Spaced(s topology.Speed) string { return strings.TrimRight(" "+s.String(), " ") }

// Slower returns the lower of two speeds, or the one that is known.
func Slower(a, b topology.Speed) topology.Speed {
	ra, oka := a.Rate()
	rb, okb := b.Rate()
	if a == (topology.Speed{}) || !oka && okb || oka && okb && rb < ra {
		return b
	}
	return a
}
