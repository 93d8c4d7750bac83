package workload

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"musubi/units"
)

// MaxSize is the largest message, in bytes, that a workload accepts between real processes,
// maxSimulatedSize that on simulated machines, where memory is estimated before, and maxLength the
// longest list. They keep a typing error from exhausting memory.
const (
	MaxSize          = 64 << 20
	maxSimulatedSize = 1 << 30
	maxLength        = 1000
)

// maxSize returns the largest message that a workload accepts.
func (e *Env) maxSize() units.Bytes {
	if e.RealTime {
		return MaxSize
	}
	return maxSimulatedSize
}

// PacketWord stands for the data of the machine's largest packet in lists of
// sizes, and for noPacket on machines without packets.
const (
	PacketWord = "packet"
	noPacket   = 4096
)

// SizesHelp explains a list of sizes.
const SizesHelp = "sizes: a list, or a range that means its ends and the powers of two between, or with :STEP the multiples of that beyond its beginning; packet: data of the largest packet"

// Sizes reads a list of message sizes of at least a byte. Its items are single sizes and
// ranges low..high, which mean the two ends and the powers of two between them, or
// low..high:step.
func (v *Values) Sizes(name string, env Env) []int { return v.SizesFrom(1, name, env) }

// SizesFrom reads a list of message sizes like Sizes, with another smallest size.
func (v *Values) SizesFrom(least int, name string, env Env) []int {
	var list []int
	for item := range strings.SplitSeq(v.Text(name), ",") {
		sizes, ok := v.sizeRange(least, name, item, env)
		if !ok {
			return []int{least}
		}
		list = append(list, sizes...)
	}
	if len(list) > maxLength {
		v.Fail(name, "that is %d sizes; at most %d can be given", len(list), maxLength)
	}
	return slices.Compact(list)
}

// sizeRange reads a size or a range.
func (v *Values) sizeRange(least int, name, item string, env Env) (list []int, ok bool) {
	first, rest, isRange := strings.Cut(item, "..")
	low, ok := v.Size(least, name, first, env)
	if !ok || !isRange {
		return []int{low}, ok
	}
	last, step, isEven := strings.Cut(rest, ":")
	high, ok := v.Size(least, name, last, env)
	switch {
	case !ok:
		return nil, false
	case high < low:
		v.Fail(name, "the range %s ends before it begins", item)
		return nil, false
	case !isEven:
		return Powers(low, high), true
	}
	by, ok := v.Size(1, name, step, env)
	if !ok || (high-low)/by >= maxLength {
		v.Fail(name, "the range %s has more than %d sizes", item, maxLength)
		return nil, false
	}
	return multiples(low, high, by), true
}

// multiples returns low, the values that follow in steps, and high.
func multiples(low, high, step int) []int {
	var list []int
	for n := low; n < high; n += step {
		list = append(list, n)
	}
	return append(list, high)
}

// Powers returns low, the powers of two between low and high, and high.
func Powers(low, high int) []int {
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

// Size reads one size of at least least bytes; name is the parameter that the text belongs to.
func (v *Values) Size(least int, name, text string, env Env) (int, bool) {
	if strings.TrimSpace(text) == PacketWord {
		v.longest = max(v.longest, int(PacketData(env)))
		return int(PacketData(env)), true
	}
	b, err := units.ParseBytes(text)
	if err != nil || b < units.Bytes(least) || b > env.maxSize() {
		v.Fail(name, "expected sizes of %d to %v or %q, as a list such as 8,1KiB or a range such as 8..packet or 1KiB..64KiB:1KiB", least, env.maxSize(), PacketWord)
		return 0, false
	}
	v.longest = max(v.longest, int(b))
	return int(b), true
}

// PacketData returns the data of the largest packet.
func PacketData(env Env) units.Bytes {
	if env.Payload == 0 {
		return noPacket
	}
	return env.Payload
}

// Numbers reads a list of whole numbers and ranges of them, from least on. The error for a mistake
// names most as the largest useful number.
func (v *Values) Numbers(name string, least, most int) []int {
	var list []int
	for item := range strings.SplitSeq(v.Text(name), ",") {
		first, last, isRange := strings.Cut(item, "..")
		if !isRange {
			last = first
		}
		low, err1 := strconv.Atoi(strings.TrimSpace(first))
		high, err2 := strconv.Atoi(strings.TrimSpace(last))
		if err1 != nil || err2 != nil || low < least || high < low || high-low >= maxLength {
			v.Fail(name, "expected numbers from %d to %d, as a list such as 1,2 or a range such as 1..4", least, most)
			return []int{least}
		}
		for n := low; n <= high; n++ {
			list = append(list, n)
		}
	}
	return list
}

// Fractions reads a list of numbers above 0 and up to 1. Its items are single
// numbers and ranges low..high:step.
func (v *Values) Fractions(name string) []float64 {
	list, err := Loads(v.Text(name))
	if err != nil {
		v.Fail(name, "%v", err)
		return nil
	}
	if len(list) > maxLength {
		v.Fail(name, "that is %d numbers; at most %d can be given", len(list), maxLength)
	}
	return list
}

// Loads reads a list of offered loads: numbers above 0 and up to 1, and ranges low..high:step.
func Loads(text string) ([]float64, error) {
	var list []float64
	for item := range strings.SplitSeq(text, ",") {
		numbers, err := arithmetic(item)
		if err != nil {
			return nil, err
		}
		list = append(list, numbers...)
	}
	return list, nil
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
