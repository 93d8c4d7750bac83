package topology

import "musubi/units"

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
