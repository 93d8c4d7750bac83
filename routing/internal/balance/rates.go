package balance

import "musubi/topology"

// rateSteps is how finely rates are told apart where links differ: in steps of an eighth of the fastest.
const rateSteps = 8

// Slowness returns by channel how long it takes for a packet, in a unit that is 1 everywhere if all links are
// alike. Links of unknown rate count as the fastest.
func Slowness(net *topology.Network) []int64 {
	fastest, slowest := int64(0), int64(0)
	for _, l := range net.Links {
		if rate, ok := l.Speed.Rate(); ok {
			fastest = max(fastest, int64(rate))
			if slowest == 0 || int64(rate) < slowest {
				slowest = int64(rate)
			}
		}
	}
	slow := make([]int64, net.Channels())
	for c := range slow {
		slow[c] = 1
		if rate, ok := net.Links[c/2].Speed.Rate(); fastest > slowest {
			slow[c] = rateSteps
			if ok {
				slow[c] = (rateSteps*fastest + int64(rate)/2) / int64(rate)
			}
		}
	}
	return slow
}
