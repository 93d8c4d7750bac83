package pairs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

func TestPingpongMeasuresOneWayLatency(t *testing.T) {
	rows := ideal.Rows(t, PingPong, ideal.Set("bytes=8,1000,8"), workload.Env{Ranks: 3})
	if len(rows) != 6 {
		t.Fatalf("%d rows, want latency and bandwidth of three sizes", len(rows))
	}
	for i, bytes := range []int{8, 1000, 8} { // one size twice
		us := 1 + float64(bytes)/1000
		ideal.Near(t, "latency", rows[i].Value, us)
		ideal.Near(t, "bandwidth", rows[i+3].Value, float64(bytes)/us)
		if rows[i].Bytes != bytes || rows[i].Metric != "latency" || rows[i+3].Metric != "bandwidth" {
			t.Errorf("row %d is %+v", i, rows[i])
		}
		if len(rows[i].Labels) > 0 {
			t.Errorf("row %d has labels %v although nothing but the size varies", i, rows[i].Labels)
		}
	}
}

func TestPingpongCanMeasureOnePartnerPerDistance(t *testing.T) {
	rows := ideal.Rows(t, PingPong, ideal.Set("bytes=8", "to=each-distance", "from=5"), ideal.Chain(16))
	var switches []int
	for _, r := range rows[:len(rows)/2] {
		switches = append(switches, r.Label("switches").(int))
	}
	if !slices.Equal(switches, []int{1, 2, 3}) {
		t.Errorf("measured over %v switches, want 1, 2 and 3", switches)
	}
}

// copyingWorld needs 1 us and 1 ns per byte for a message, 3 ns per byte to write it
// by BOTF, and 2 or 4 ns per byte to copy it.
func copyingWorld() *ideal.World {
	return &ideal.World{
		Latency: units.Microsecond, PerByte: units.Nanosecond,
		Write: 3 * units.Nanosecond, Copying: 2 * units.Nanosecond,
	}
}

var perByte = map[string]float64{"push": 1, "ipush": 1, "botf": 4, "none": 0, "cached": 2, "uncached": 4} // ns

func TestPingpongCountsWritingAndCopying(t *testing.T) {
	rows, err := copyingWorld().Measure(PingPong, ideal.Set("bytes=8,500", "mechanism=push,ipush,pio", "copy=all"), workload.Env{Ranks: 2, BOTF: 500})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rows.All()); n != 2*3*3*2 {
		t.Fatalf("%d rows, want latency and bandwidth for 3 mechanisms, 3 ways of copying and 2 sizes", n)
	}
	for _, r := range rows.All()[:18] {
		mechanism, copying := r.Label("mechanism").(string), r.Label("copy").(string)
		want := 1 + (perByte[mechanism]+perByte[copying])*float64(r.Bytes)/1000
		ideal.Near(t, fmt.Sprintf("%d bytes by %s, copied %s", r.Bytes, mechanism, copying), r.Value, want)
	}
}

func TestPingpongSizesFollowTheMechanism(t *testing.T) {
	rows := ideal.Rows(t, PingPong, ideal.Set("mechanism=all", "iterations=1", "warmup=0"), workload.Env{Ranks: 2, BOTF: 100})
	most := map[string]int{}
	for _, r := range rows {
		most[r.Label("mechanism").(string)] = r.Bytes
	}
	for mechanism, want := range map[string]int{"push": 512 << 10, "ipush": 512 << 10, "botf": 100} {
		if most[mechanism] != want {
			t.Errorf("%s: messages of up to %d bytes, want %d", mechanism, most[mechanism], want)
		}
	}
}

// Whatever has been in a place before, no message is taken for the next.
func TestPingpongTellsMessagesApart(t *testing.T) {
	env := ideal.Chain(12)
	env.BOTF = 64
	for _, bytes := range []string{"8", "16,8", "8,16,8,1,16,8"} {
		for _, iterations := range []int{1, 2, 3, 4, 5, 8} {
			settings := ideal.Set("bytes="+bytes, "mechanism=push,botf,push", "copy=none,cached,none", "to=each-distance",
				"warmup=0", fmt.Sprint("iterations=", iterations))
			rows := ideal.Rows(t, PingPong, settings, env)
			for _, r := range rows[:len(rows)/2] {
				ideal.Near(t, fmt.Sprintf("%d round trips of %d bytes, %v", iterations, r.Bytes, r.Labels), r.Value, 1+float64(r.Bytes)/1000)
			}
		}
	}
}

// packetRings are rings that tell of packets of 64 bytes.
func packetRings(bytes int) *ideal.World {
	return &ideal.World{
		Latency: units.Microsecond, PerByte: units.Nanosecond, Packet: 64,
		Rings: []rma.Rings{rma.SharedRing(bytes), rma.SharedRing(bytes)},
	}
}

func TestPingpongTakesPackets(t *testing.T) {
	rows, err := packetRings(128).Measure(PingPong, ideal.Set("bytes=64,65,1000", "mechanism=ipush", "copy=cached"), workload.Env{Ranks: 2, Payload: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows.All()[:3] {
		ideal.Near(t, fmt.Sprint(r.Bytes, " bytes"), r.Value, 1+float64(r.Bytes)/1000)
	}
}

// Only copying shows when the last packet is there.
func TestPingpongRefusesPacketsThatAreNotCopied(t *testing.T) {
	for bytes, want := range map[int]string{64: "", 65: "tells of 64 bytes of a message of 65"} {
		_, err := packetRings(1024).Measure(PingPong, ideal.Set(fmt.Sprint("bytes=", bytes), "mechanism=ipush"), workload.Env{Ranks: 2, Payload: 64})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: got %v; want %q", bytes, err, want)
		}
	}
}
