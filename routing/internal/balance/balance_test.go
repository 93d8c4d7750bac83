package balance

import (
	"slices"
	"testing"

	"musubi/routing/internal/ways"
	"musubi/topology"
	"musubi/topology/generate"
)

// TestCheapestMoveIsTheFirstOfEqualOnes, so that all machines choose alike.
func TestCheapestMoveIsTheFirstOfEqualOnes(t *testing.T) {
	b := balancer{channels: []channel{{5, 1}, {2, 1}, {2, 1}, {4, 1}}, cost: []float64{0, 0, 300}}
	for _, c := range []struct {
		moves []ways.Move
		f     float64
		want  int
	}{
		{[]ways.Move{{Channel: 0, To: 0}, {Channel: 1, To: 0}, {Channel: 2, To: 1}}, 1, 1}, // 216, 27, 27
		{[]ways.Move{{Channel: 1, To: 2}, {Channel: 0, To: 0}, {Channel: 3, To: 0}}, 1, 2}, // 27 + 300, 216, 125
		{[]ways.Move{{Channel: 0, To: 0}, {Channel: 1, To: 2}}, 3, 1},                      // 512, 125 + 300
	} {
		if got := b.cheapest(c.moves, c.f); got != c.want {
			t.Errorf("moves %v with %v more pairs: move %d; want %d", c.moves, c.f, got, c.want)
		}
	}
}

// TestRoomChangesNoChoice: what channels carry is the same whether it is kept or found again along the moves, where all
// switches have hosts, some have none and links differ in rate.
func TestRoomChangesNoChoice(t *testing.T) {
	for _, c := range []struct {
		name  string
		hosts int
		rates bool
	}{{"random:switches=24,degree=4", 3, false}, {"random:switches=24,degree=4", 1, true}, {"fattree:k=4", 2, false}} {
		net, err := generate.Network(c.name, c.hosts)
		if err != nil {
			t.Fatal(err)
		}
		if c.rates {
			net.Links[3].Speed = topology.Speed{Width: 4, Lane: "EDR"}
			net.Links[8].Speed = topology.Speed{Width: 4, Lane: "NDR"}
		}
		choices := func(room int) (*balancer, [][]uint16) {
			b := newBalancer(net, ways.NewAtlas(anyWay(net), ends(net)))
			b.room = room
			return b, b.choose(NewChoices(net, b.atlas.Guide.States())).move
		}
		whole, want := choices(keptShares)
		for _, room := range []int{0, 100 * shareBytes} {
			part, got := choices(room)
			if !slices.EqualFunc(got, want, slices.Equal) || !slices.Equal(part.channels, whole.channels) {
				t.Errorf("%s: other moves with room for %d bytes", c.name, room)
			}
		}
	}
}

// TestPlacesAndStatesHaveTheSameChoices, where each switch has several states.
func TestPlacesAndStatesHaveTheSameChoices(t *testing.T) {
	net, err := generate.Network("random:switches=30,degree=4", 2)
	if err != nil {
		t.Fatal(err)
	}
	a := ways.NewAtlas(ways.ClassAutomaton(net, 3, func(class int, c int32) int { return max(class, int(c%3)) }), ends(net))
	byPlace, byState := ByPlace(net, a), ByState(net, a)
	err = a.Each(func(i int, w *ways.Ways) error {
		for j := range net.EndPointsAt(a.Ends[i]) {
			places, states := byPlace.Column(a.Ends[i], j), byState.Column(a.Ends[i], j)
			for x, state := range w.State {
				if places[x] != states[state] {
					t.Errorf("to end point %d of switch %d, place %d: move %d; want %d", j, a.Ends[i], x, places[x], states[state])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anyWay allows all paths.
func anyWay(net *topology.Network) ways.Guide {
	return ways.ClassAutomaton(net, 1, func(int, int32) int { return 0 })
}

// ends returns the switches with end points.
func ends(net *topology.Network) []int {
	var list []int
	for sw := range net.Switches {
		if len(net.EndPointsAt(sw)) > 0 {
			list = append(list, sw)
		}
	}
	return list
}
