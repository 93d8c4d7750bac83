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
		n := Bytes(rapid.Int64Range(0, 1<<60).Draw(t, "bytes"))
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
