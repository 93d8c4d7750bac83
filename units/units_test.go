package units

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 1<<62).Draw(t, "v")
		if got, err := ParseTime(Time(v).String()); err != nil || got != Time(v) {
			t.Fatalf("time %d printed %q read back %d, %v", v, Time(v), got, err)
		}
		if got, err := ParseRate(Rate(v).String()); err != nil || got != Rate(v) {
			t.Fatalf("rate %d printed %q read back %d, %v", v, Rate(v), got, err)
		}
		if got, err := ParseBytes(Bytes(v).String()); err != nil || got != Bytes(v) {
			t.Fatalf("size %d printed %q read back %d, %v", v, Bytes(v), got, err)
		}
	})
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Time{"0.175us": 175000, "10 ns": 10000, "3ps": 3, "1.5s": 1_500_000_000_000} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("ParseTime(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]Rate{"6Gbit/s": 6e9, "533MB/s": 4264e6, "8ns/B": 1e9, "6ns/B": 1_333_333_334, "0.03us/B": 266_666_667, " 0.04 ns/B ": 200e9, "1us/B": 8e6} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "us", "1..2us", "-4ns", "1.0001ps", "5 parsecs", "99999999999s"} {
		if v, err := ParseTime(bad); err == nil {
			t.Errorf("ParseTime(%q) = %d, want an error", bad, v)
		}
	}
}

func TestParseRateRefuses(t *testing.T) {
	for _, bad := range []string{"", "6", "0ns/B", "-1ns/B", "1s/B", "1e-9us/B", "0.0000001ps/B", "6ns/b"} {
		if v, err := ParseRate(bad); err == nil {
			t.Errorf("ParseRate(%q) = %d, want an error", bad, v)
		}
	}
}

func TestTimePerByteTransfersInThatTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := Time(rapid.Int64Range(1, 1_000_000).Draw(t, "gap"))
		r, err := ParseRate(gap.String() + "/B")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Transfer(1); got != gap {
			t.Fatalf("%v/B is %d bit/s, at which a byte takes %v", gap, r, got)
		}
	})
}

func TestTransferRoundsOnce(t *testing.T) {
	flit := 6 * GbitPerSecond // 8 bytes take 10 666.67 ps
	if got, want := flit.Transfer(8*229), Time(2442667); got != want {
		t.Errorf("229 flits take %d ps, want %d", got, want)
	}
	if got, want := (10 * GbitPerSecond).Transfer(10e9), 8*Second; got != want {
		t.Errorf("10 GB at 10 Gbit/s take %v, want %v", got, want)
	}
}

func TestTransferAgreesWithBigIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Bytes(rapid.Int64Range(0, 1<<63-1).Draw(t, "bytes"))
		r := Rate(rapid.Int64Range(1, 1<<62).Draw(t, "rate"))
		want := new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(8*int64(Second)))
		want.Add(want, big.NewInt(int64(r)-1)).Div(want, big.NewInt(int64(r)))
		if want.Cmp(big.NewInt(int64(Never))) > 0 {
			want.SetInt64(int64(Never))
		}
		if got := r.Transfer(n); int64(got) != want.Int64() {
			t.Fatalf("%d bytes at %d bit/s take %d ps, want %v", n, r, got, want)
		}
	})
}

// Exactly one of a unit is printed in that unit, with either sign.
func TestOneOfAUnit(t *testing.T) {
	for v, want := range map[Time]string{Second: "1s", Millisecond: "1ms", Microsecond: "1us", Nanosecond: "1ns", 1: "1ps", 999: "999ps"} {
		if v.String() != want || (-v).String() != "-"+want {
			t.Errorf("%d ps are %q and %q; expected %q and %q", int64(v), v, -v, want, "-"+want)
		}
	}
	for v, want := range map[Rate]string{GbitPerSecond: "1Gbit/s", MbitPerSecond: "1Mbit/s", 1: "1bit/s"} {
		if v.String() != want {
			t.Errorf("%d bit/s are %q; expected %q", int64(v), v, want)
		}
	}
}

// Sizes, rates and times are read from the text that they are written as.
func TestTextIsRead(t *testing.T) {
	var size Bytes
	var rate Rate
	var time Time
	for text, v := range map[string]interface {
		MarshalText() ([]byte, error)
		UnmarshalText([]byte) error
	}{"3KiB": &size, "7Mbit/s": &rate, "5ns": &time} {
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := v.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%q is written as %q, error %v", text, got, err)
		}
	}
	if size != 3<<10 || rate != 7*MbitPerSecond || time != 5*Nanosecond {
		t.Errorf("read %d, %d, %d", size, rate, time)
	}
}

// A transfer that takes longer than can be told takes until Never, however much longer.
func TestTransferThatNeverEnds(t *testing.T) {
	for _, n := range []Bytes{2_305_844, 2_400_000, 4_611_687, 1 << 62} { // the first ones take around 1 and 2 times 2^64 ps
		if got := Rate(1).Transfer(n); got != Never {
			t.Errorf("%d bytes at 1 bit/s take %d ps; expected until Never", n, got)
		}
	}
}
