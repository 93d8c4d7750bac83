package workload

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"musubi/units"
)

// Limits that keep a typing error from exhausting memory.
const (
	maxSize   = 64 << 20 // bytes of one message
	maxLength = 1000     // of a list
)

// packetWord stands for the data of the machine's largest packet in lists of
// sizes, and for noPacket on machines without packets.
const (
	packetWord = "packet"
	noPacket   = 4096
)

// sizesHelp explains a list of sizes.
const sizesHelp = "sizes: a list, or a range that means its ends and the powers of two between; packet: data of the largest packet"

// sizes reads a list of message sizes. Its items are single sizes and ranges
// low..high, which mean the two ends and the powers of two between them.
func (v *values) sizes(name string, env Env) []int {
	var list []int
	for item := range strings.SplitSeq(v.text(name), ",") {
		first, last, isRange := strings.Cut(item, "..")
		low, ok := v.size(name, first, env)
		high := low
		if ok && isRange {
			high, ok = v.size(name, last, env)
		}
		if !ok {
			return []int{1}
		}
		if high < low {
			v.fail(name, "the range %s ends before it begins", item)
			return []int{1}
		}
		list = append(list, powers(low, high)...)
	}
	if len(list) > maxLength {
		v.fail(name, "that is %d sizes; at most %d can be given", len(list), maxLength)
	}
	return slices.Compact(list)
}

// powers returns low, the powers of two between low and high, and high.
func powers(low, high int) []int {
	list := []int{low}
	for p := 1; p < high; p *= 2 {
		if p > low {
			list = append(list, p)
		}
	}
	if high > low {
		list = append(list, high)
	}
	return list
}

func (v *values) size(name, text string, env Env) (int, bool) {
	if strings.TrimSpace(text) == packetWord {
		return int(packetData(env)), true
	}
	b, err := units.ParseBytes(text)
	if err != nil || b < 1 || b > maxSize {
		v.fail(name, "expected sizes of 1 to %v or %q, as a list such as 8,1KiB or a range such as 8..packet", units.Bytes(maxSize), packetWord)
		return 0, false
	}
	return int(b), true
}

// packetData returns the data of the largest packet.
func packetData(env Env) units.Bytes {
	if env.Payload == 0 {
		return noPacket
	}
	return env.Payload
}

// fractions reads a list of numbers above 0 and up to 1. Its items are single
// numbers and ranges low..high:step.
func (v *values) fractions(name string) []float64 {
	var list []float64
	for item := range strings.SplitSeq(v.text(name), ",") {
		numbers, err := arithmetic(item)
		if err != nil {
			v.fail(name, "%v", err)
			return nil
		}
		list = append(list, numbers...)
	}
	if len(list) > maxLength {
		v.fail(name, "that is %d numbers; at most %d can be given", len(list), maxLength)
	}
	return list
}

// arithmetic reads "x" or "low..high:step". It counts in exact decimals, so that
// the numbers come out as a reader would write them.
func arithmetic(item string) ([]float64, error) {
	bad := fmt.Errorf("expected fractions above 0 and up to 1, as a list such as 0.1,0.2 or a range such as 0.05..0.5:0.05")
	first, rest, isRange := strings.Cut(item, "..")
	low, ok := decimal(first)
	if !ok {
		return nil, bad
	}
	high, step := low, big.NewRat(1, 1)
	if isRange {
		last, width, found := strings.Cut(rest, ":")
		var okLast, okStep bool
		high, okLast = decimal(last)
		step, okStep = decimal(width)
		if !found || !okLast || !okStep || high.Cmp(low) < 0 {
			return nil, bad
		}
	}
	var list []float64
	for x := low; x.Cmp(high) <= 0; x = new(big.Rat).Add(x, step) {
		f, _ := x.Float64()
		if list = append(list, f); len(list) > maxLength {
			return nil, fmt.Errorf("the range %s has more than %d numbers", item, maxLength)
		}
	}
	return list, nil
}

// decimal reads a number above 0 and up to 1.
func decimal(text string) (*big.Rat, bool) {
	// An exponent could ask for a number that fills the memory.
	if len(text) > 32 || strings.ContainsAny(text, "eEpP") {
		return nil, false
	}
	x, ok := new(big.Rat).SetString(strings.TrimSpace(text))
	if !ok || x.Sign() <= 0 || x.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, false
	}
	return x, true
}
