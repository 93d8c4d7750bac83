package topology_test

import (
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/topology"
)

func TestWithout(t *testing.T) {
	net := nettest.New(t, 3, [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 1}}, nettest.Hosts(2))
	loss := topology.NewLoss()
	for _, text := range []string{"s0[3]", "s2"} {
		if err := net.FindLoss(text, loss); err != nil {
			t.Fatal(err)
		}
	}
	rest, remains, err := net.Without(loss)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(remains.Switches, []int{0, 1}) || !slices.Equal(remains.EndPoints, []int{0, 1, 2, 3}) {
		t.Errorf("%+v remains; expected switches 0 and 1, and end points 0 to 3", remains)
	}
	if len(rest.Links) != 1 || rest.Links[0].A != (topology.Port{Switch: 0, Number: 5}) {
		t.Errorf("links %+v; expected that of port 5 of s0", rest.Links)
	}
	for _, text := range []string{"s9", "s0[1]", "s0[7]", "s0[x]", "s9[1]", "[1]", ""} {
		if err := net.FindLoss(text, loss); err == nil {
			t.Errorf("FindLoss(%q) finds something", text)
		}
	}
	for s := range net.Switches {
		loss.Switches[s] = true
	}
	if _, _, err := net.Without(loss); err == nil {
		t.Error("a network without switches")
	}
}

// Coordinates stay as long as all switches do.
func TestWithoutKeepsCoordinates(t *testing.T) {
	net := nettest.Generate(t, "torus:3x4", 1)
	loss := topology.NewLoss()
	loss.Links[3] = true
	rest, _, err := net.Without(loss)
	if err != nil {
		t.Fatal(err)
	}
	if rest.Shape != net.Shape {
		t.Error("a torus without a link has no coordinates")
	}
	loss.Switches[3] = true
	if rest, _, err = net.Without(loss); err != nil || rest.Shape != nil {
		t.Errorf("a torus without a switch: coordinates %v, %v", rest.Shape, err)
	}
}
