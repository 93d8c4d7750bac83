package topology

import (
	"strconv"
	"strings"

	"musubi/units"
)

// Speed is the width and lane rate of a link as InfiniBand tools print it, such
// as {4, "NDR"}. The zero value means unknown.
type Speed struct {
	Width int    // lanes
	Lane  string // SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR
}

// laneRates gives the payload rate of one lane, after line coding (InfiniBand
// Architecture Specification, volume 2: 8b/10b to QDR, 64b/66b from FDR10).
var laneRates = map[string]units.Rate{
	"SDR":   2 * units.GbitPerSecond,
	"DDR":   4 * units.GbitPerSecond,
	"QDR":   8 * units.GbitPerSecond,
	"FDR10": 10 * units.GbitPerSecond,
	"FDR":   13_640_000_000,
	"EDR":   25 * units.GbitPerSecond,
	"HDR":   50 * units.GbitPerSecond,
	"NDR":   100 * units.GbitPerSecond,
	"XDR":   200 * units.GbitPerSecond,
}

// Rate returns the payload rate of the link, and whether the speed is known.
func (s Speed) Rate() (units.Rate, bool) {
	lane, ok := laneRates[s.Lane]
	if !ok || s.Width < 1 {
		return 0, false
	}
	return units.Rate(s.Width) * lane, true
}

// String returns the speed as ibnetdiscover prints it, such as "4xNDR", or "" if
// it is unknown.
func (s Speed) String() string {
	if s == (Speed{}) {
		return ""
	}
	return strconv.Itoa(s.Width) + "x" + s.Lane
}

// maxWidth is the largest number of lanes that InfiniBand knows.
const maxWidth = 12

// ParseSpeed reads a speed as String prints it. It takes rates of lanes that it
// does not know, as newer tools may print, but no other text.
func ParseSpeed(text string) (Speed, bool) {
	width, lane, ok := strings.Cut(text, "x")
	w, err := strconv.Atoi(width)
	if !ok || err != nil || w < 1 || w > maxWidth || lane == "" {
		return Speed{}, false
	}
	for _, r := range lane {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return Speed{}, false
		}
	}
	return Speed{Width: w, Lane: lane}, true
}
