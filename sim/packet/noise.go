package packet

import (
	"math"
	"math/rand/v2"

	"musubi/sim/fabric"
	"musubi/units"
)

// noise corrupts packets on links.
type noise struct {
	random *rand.PCG // nil if there is none
	chance []uint64  // by flits: that a packet is corrupted on a link, in units of 2^-64
}

// newNoise prepares for a probability of errors per bit.
func newNoise(cfg *fabric.Config) noise {
	if cfg.Errors == 0 {
		return noise{}
	}
	n := noise{random: rand.NewPCG(cfg.Seed, noiseStream), chance: make([]uint64, cfg.MaxPacket+1)}
	for flits := range n.chance {
		n.chance[flits] = odds(cfg.Errors, units.Bytes(flits)*cfg.Flit)
	}
	return n
}

// noiseStream is the number of the random stream for errors, which other streams with the same seed
// do not use.
const noiseStream = 0xe7707

// odds returns the probability that at least one bit of some bytes is wrong, in units
// of 2^-64.
func odds(perBit float64, length units.Bytes) uint64 {
	chance := -math.Expm1(8 * float64(length) * math.Log1p(-perBit))
	if scaled := math.Ldexp(chance, 64); scaled < math.Ldexp(1, 64) {
		return uint64(scaled)
	}
	return math.MaxUint64
}

// strikes decides at random whether a packet is corrupted on a link.
func (n *noise) strikes(flits int32) bool { return n.random.Uint64() < n.chance[flits] }
