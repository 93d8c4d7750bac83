package card

import (
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// Packets and acknowledgements have the lengths that the machine says, and take so
// much longer on the one link that keeps them whole. With the rest of the way the same,
// a receiver that looks all the time notices just that.
func TestLengthsOfPackets(t *testing.T) {
	const line = 8 * units.Nanosecond
	measure := func(set ...string) (complete, noticed units.Time) {
		usual := []string{"processor.poll", "1ps", "card.refresh", "0ns"}
		return hosttest.PushPing(t, hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2, append(usual, set...)...), 1, 8, rma.BOTF)
	}
	complete, noticed := measure()
	for _, c := range []struct {
		key, value   string
		packet, both units.Time // more until it is noticed, and until its acknowledgement is there
	}{
		{"packet.minimum", "7", 0, 0}, // what it has anyway
		{"packet.minimum", "40", 33 * line, 33 * line},
		{"packet.reply", "16", 0, 10 * line},
		{"packet.overhead", "10", 4 * line, 4 * line},
	} {
		gotComplete, gotNoticed := measure(c.key, c.value)
		if gotNoticed-noticed != c.packet || gotComplete-complete != c.both {
			t.Errorf("%s=%s: noticed %v later and acknowledged %v later, want %v and %v",
				c.key, c.value, gotNoticed-noticed, gotComplete-complete, c.packet, c.both)
		}
	}
}

func TestMoreRanksThanHeadersCanName(t *testing.T) {
	cfg := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2).Config
	cfg.Hosts = make([]int, 1<<16+1)
	if _, err := host.New(cfg); err == nil || !strings.Contains(err.Error(), "65537 ranks; packets of machine dimmnet2 can name 65536") {
		t.Errorf("error %v", err)
	}
}
