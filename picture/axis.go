package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"musubi/picture/sheet"
	"musubi/report/rows"
)

// scale is how numbers lie on an axis.
type scale uint8

const (
	linear      scale = iota
	binary            // logarithmic, with labels at powers of two
	logarithmic       // with labels at 1, 2 and 5 times powers of ten
)

// axis maps numbers to parts of its length.
type axis struct {
	name, unit string
	scale      scale
	low, high  float64 // in the scale: numbers, or their logarithms
	zero       bool    // logarithmic, but with a place for 0 at its beginning
	ticks      []tick
}

// tick is a labelled number.
type tick struct {
	value float64
	label string
}

// Ratios of the largest to the least number from which an axis is logarithmic.
const (
	wideX = 2
	wideY = 30
)

// manyTicks is how many labels an axis has at most.
const manyTicks = 9

// horizontal makes the axis of sizes, loads and numbers of ranks.
func horizontal(name string, values []float64) axis {
	a := axis{name: title(name), unit: unitOf(name)}
	least, most, zero := span(values)
	switch {
	case (name == rows.Bytes || name == rows.Ranks) && most >= wideX*least:
		a.scale, a.zero = binary, zero
		a.low, a.high = math.Log2(least), math.Log2(most)
		if zero {
			a.low = math.Floor(a.low) - 1
		}
		a.tickPowersOfTwo()
	default:
		a.low, a.high = extent(values)
		if 0 < a.low && a.low < a.high/4 {
			a.low = 0
		}
		a.tickEvenly(false)
	}
	return a
}

// vertical makes the axis of values with a unit.
func vertical(name, unit string, values []float64) axis {
	a := axis{name: name, unit: unit}
	least, most, zero := span(values)
	low, _ := extent(values)
	part := unit == "fraction" || unit == "%"
	if !part && !zero && low > 0 && most > wideY*least {
		a.scale = logarithmic
		a.low, a.high = math.Log10(least), math.Log10(most)
		a.tickDecades()
		return a
	}
	a.low, a.high = extent(append([]float64{0}, values...))
	a.tickEvenly(true)
	return a
}

// span returns the least and the largest positive number, 1 if there is none, and whether 0 occurs.
func span(values []float64) (least, most float64, zero bool) {
	least = math.Inf(1)
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
		zero = zero || v == 0
	}
	if most == 0 {
		return 1, 1, zero
	}
	return least, most, zero
}

func extent(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// at returns where a number lies: 0 at the beginning of the axis, 1 at its end.
func (a *axis) at(v float64) float64 {
	switch {
	case a.scale != linear && v <= 0:
		return 0
	case a.scale == binary:
		v = math.Log2(v)
	case a.scale == logarithmic:
		v = math.Log10(v)
	}
	if a.high == a.low {
		return 0.5
	}
	return (v - a.low) / (a.high - a.low)
}

// tickEvenly labels a linear axis at round numbers; rounded extends it to them.
func (a *axis) tickEvenly(rounded bool) {
	if a.high <= a.low {
		a.low, a.high = a.low-0.5, a.high+0.5
	}
	step := roundUp((a.high - a.low) / 6)
	if rounded {
		a.low, a.high = math.Floor(a.low/step+1e-9)*step, math.Ceil(a.high/step-1e-9)*step
	}
	for i := math.Ceil(a.low/step - 1e-9); i*step <= a.high+step*1e-6; i++ {
		a.ticks = append(a.ticks, tick{i * step, number(i*step + 0)}) // + 0: not -0
	}
}

// roundUp returns the least of 1, 2, 5, 10 and so on that is not below v.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{1, 2, 5} {
		if v <= digit*unit*(1+1e-9) {
			return digit * unit
		}
	}
	return 10 * unit
}

// tickPowersOfTwo labels powers of two, each or every few.
func (a *axis) tickPowersOfTwo() {
	first, last := math.Ceil(a.low), math.Floor(a.high)
	step := math.Ceil((last - first + 1) / manyTicks)
	if a.zero {
		a.ticks = append(a.ticks, tick{0, "0"})
		first += step
	}
	for p := first; p <= last; p += step {
		a.ticks = append(a.ticks, tick{math.Exp2(p), powerOfTwo(int(p), a.unit == "B")})
	}
}

// powerOfTwo writes 2^p, for sizes with a prefix.
func powerOfTwo(p int, size bool) string {
	if !size || p < 10 {
		return strconv.Itoa(1 << p)
	}
	prefix := []string{"", "Ki", "Mi", "Gi", "Ti"}[p/10]
	return strconv.Itoa(1<<(p%10)) + prefix
}

// tickDecades extends a logarithmic axis to a labelled number and labels it.
func (a *axis) tickDecades() {
	digits := []float64{1, 2, 5}
	if a.high-a.low > 3.2 {
		digits = digits[:1]
	}
	var all []float64
	for p := math.Floor(a.low) - 1; p <= math.Ceil(a.high)+1; p++ {
		for _, digit := range digits {
			all = append(all, digit*math.Pow(10, p))
		}
	}
	for i, v := range all {
		log := math.Log10(v)
		before, after := i+1 < len(all) && math.Log10(all[i+1]) <= a.low+1e-9, i > 0 && math.Log10(all[i-1]) >= a.high-1e-9
		if !before && !after {
			a.ticks = append(a.ticks, tick{v, number(v)})
			a.low, a.high = min(a.low, log), max(a.high, log)
		}
	}
}

// number writes a number beside an axis or a bar.
func number(v float64) string {
	if abs := math.Abs(v); abs >= 1e6 || abs > 0 && abs < 1e-4 {
		text := strconv.FormatFloat(v, 'e', -1, 64)
		if short := strconv.FormatFloat(v, 'e', 3, 64); len(short) < len(text) {
			text = short
		}
		digits, power, _ := strings.Cut(text, "e")
		n, _ := strconv.Atoi(power)
		return digits + "e" + strconv.Itoa(n)
	}
	text := strconv.FormatFloat(v, 'g', 6, 64)
	whole, fraction, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + fraction
	}
	return whole
}

// title is the name of an axis or a metric in words.
func title(name string) string {
	if words := titles[name]; words != "" {
		return words
	}
	return strings.ReplaceAll(name, "_", " ")
}

// titles are names that say too little beside an axis.
var titles = map[string]string{rows.Bytes: "message size", rows.Offered: "offered load", rows.Ranks: "ranks"}

// unitOf returns the unit of an axis.
func unitOf(name string) string {
	return map[string]string{rows.Bytes: "B", rows.Offered: "fraction"}[name]
}

// headingIn is what stands beside an axis of some length: its heading, or only the unit where that is
// longer. The title of the panel says the rest then.
func (a *axis) headingIn(length float64) string {
	if words := a.heading(); sheet.LengthOf(words, textSize) <= length {
		return words
	}
	if a.unit == "" {
		return ""
	}
	return "[" + a.unit + "]"
}

// heading names the axis and its unit.
func (a *axis) heading() string {
	if a.unit == "" {
		return a.name
	}
	return fmt.Sprintf("%s [%s]", a.name, a.unit)
}
