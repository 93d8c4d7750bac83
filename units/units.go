// Package units holds the quantities that Musubi's models are written in:
// time in picoseconds, data rates in bits per second and sizes in bytes. All
// are exact integers; nothing here rounds through floating point.
//
// Text forms are those of the literature: "10.67ns", "0.175us", "750MB/s",
// "6Gbit/s", "6ns/B", "4KiB". Decimal prefixes are powers of 1000 and binary
// prefixes (Ki, Mi, Gi) powers of 1024; one byte is 8 bits and 1 MB/s is 10^6
// bytes per second.
package units

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Time is a point in, or a span of, simulated time in picoseconds. It reaches
// 106 days.
type Time int64

// Spans of simulated time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	// Never is later than every time that a simulation reaches.
	Never Time = math.MaxInt64
)

// Nanoseconds returns t in nanoseconds, for printing.
func (t Time) Nanoseconds() float64 { return float64(t) / float64(Nanosecond) }

// Microseconds returns t in microseconds, for printing.
func (t Time) Microseconds() float64 { return float64(t) / float64(Microsecond) }

// Seconds returns t in seconds, for printing.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String prints t exactly, in the largest unit that leaves a whole part.
func (t Time) String() string { return scaled(int64(t), timeUnits) }

// UnmarshalText parses a duration such as "0.175us"; see ParseTime.
func (t *Time) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTime(string(text))
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// ParseTime reads a duration in ps, ns, us, ms or s. It must come out as a whole
// number of picoseconds.
func ParseTime(s string) (Time, error) {
	v, err := parse(s, timeUnits, "a time such as 175ns or 0.175us (ps, ns, us, ms, s)")
	return Time(v), err
}

// Bytes is an amount of data in bytes.
type Bytes int64

// String prints b exactly, with a binary prefix where it divides evenly.
func (b Bytes) String() string {
	switch {
	case b != 0 && b%(1<<30) == 0:
		return strconv.FormatInt(int64(b>>30), 10) + "GiB"
	case b != 0 && b%(1<<20) == 0:
		return strconv.FormatInt(int64(b>>20), 10) + "MiB"
	case b != 0 && b%(1<<10) == 0:
		return strconv.FormatInt(int64(b>>10), 10) + "KiB"
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// UnmarshalText parses a size such as "4KiB"; see ParseBytes.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// ParseBytes reads a size in B, KiB, MiB, GiB, kB, MB or GB. A bare number is
// bytes.
func ParseBytes(s string) (Bytes, error) {
	v, err := parse(s, byteUnits, "a size such as 512B or 4KiB (B, KiB, MiB, GiB, kB, MB, GB)")
	return Bytes(v), err
}

// Rate is a data rate in bits per second.
type Rate int64

// Rates in common use.
const (
	MbitPerSecond Rate = 1_000_000
	GbitPerSecond      = 1000 * MbitPerSecond
	MBPerSecond        = 8 * MbitPerSecond
	GBPerSecond        = 1000 * MBPerSecond
)

// String prints r exactly, in Gbit/s, Mbit/s or bit/s.
func (r Rate) String() string { return scaled(int64(r), rateUnits[:4]) }

// PerSecond returns r in bytes per second.
func (r Rate) PerSecond() float64 { return float64(r) / 8 }

// UnmarshalText parses a rate such as "533MB/s"; see ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ParseRate reads a rate in bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s, MB/s or
// GB/s, or as the time per byte of the LogGP model, in ps/B, ns/B or us/B. The
// latter is rounded up to a whole bit per second, so that Transfer gives that
// time back for a byte.
func ParseRate(s string) (Rate, error) {
	const want = "a rate such as 6Gbit/s, 533MB/s or 6ns/B"
	if !strings.HasSuffix(strings.TrimSpace(s), "s/B") {
		v, err := parse(s, rateUnits, want)
		return Rate(v), err
	}
	v, err := parse(s, gapUnits, want)
	if err != nil || v == 0 {
		return 0, fmt.Errorf("%q is not %s", s, want)
	}
	q := new(big.Int).Mul(big.NewInt(8*int64(Second)), big.NewInt(gapScale))
	q.Add(q, big.NewInt(v-1)).Quo(q, big.NewInt(v))
	if !q.IsInt64() {
		return 0, fmt.Errorf("%q is faster than Musubi can represent; expected %s", s, want)
	}
	return Rate(q.Int64()), nil
}

// Transfer returns the time that n bytes take at rate r, rounded up to whole picoseconds. The
// rounding happens once, so a long packet does not collect one error per flit. r must be positive
// and n not negative; a transfer that takes longer than Time can hold takes until Never.
func (r Rate) Transfer(n Bytes) Time {
	hi, lo := bits.Mul64(uint64(n), 8*uint64(Second))
	lo, carry := bits.Add64(lo, uint64(r)-1, 0)
	hi += carry
	if hi >= uint64(r) {
		return Never
	}
	t, _ := bits.Div64(hi, lo, uint64(r))
	return Time(min(t, uint64(Never)))
}

// gapScale is the number of units of gapUnits in a picosecond.
const gapScale = 1_000_000

type unit struct {
	name  string
	scale int64
}

var (
	timeUnits = []unit{{"s", int64(Second)}, {"ms", int64(Millisecond)}, {"us", int64(Microsecond)}, {"ns", int64(Nanosecond)}, {"ps", 1}, {"µs", int64(Microsecond)}}
	byteUnits = []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1}}
	gapUnits  = []unit{{"us/B", int64(Microsecond) * gapScale}, {"ns/B", int64(Nanosecond) * gapScale}, {"ps/B", gapScale}}
	rateUnits = []unit{{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}, {"bit/s", 1}, {"GB/s", 8e9}, {"MB/s", 8e6}, {"kB/s", 8e3}, {"B/s", 8}}
)

// parse reads a decimal number followed by one of us, exactly.
func parse(s string, us []unit, want string) (int64, error) {
	text := strings.TrimSpace(s)
	split := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if split < 0 {
		split = len(text)
	}
	number, name := text[:split], strings.TrimSpace(text[split:])
	value, ok := new(big.Rat).SetString(number)
	if number == "" || !ok {
		return 0, fmt.Errorf("%q is not %s", s, want)
	}
	for _, u := range us {
		if u.name != name {
			continue
		}
		value.Mul(value, new(big.Rat).SetInt64(u.scale))
		if !value.IsInt() || !value.Num().IsInt64() {
			return 0, fmt.Errorf("%q is finer or larger than Musubi can represent; expected %s", s, want)
		}
		return value.Num().Int64(), nil
	}
	return 0, fmt.Errorf("%q is not %s", s, want)
}

// scaled prints v exactly in the largest of us (sorted from large to small, the
// base unit with scale 1 last among those used) that does not exceed it.
func scaled(v int64, us []unit) string {
	pick := us[0]
	for _, u := range us {
		pick = u
		if u.scale == 1 || v >= u.scale || v <= -u.scale {
			break
		}
	}
	text := new(big.Rat).SetFrac64(v, pick.scale).FloatString(12)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + pick.name
}
