package reproduce

import (
	"math/rand/v2"
	"testing"

	"musubi"
)

// Of each ten orders that counts in which routings differ most, wherever it is.
func TestWorstOrders(t *testing.T) {
	const routings, draws = 6, 7
	rng := rand.New(rand.NewPCG(1, 1))
	of := make([]orders, routings)
	var want [routings]float64
	for range draws {
		worst := rng.IntN(10)
		for i := range 10 {
			for j := range of {
				apart := 1 + rng.Float64()
				if i == worst {
					apart = 3 + rng.Float64()
				}
				us := 40 + apart*float64(j)
				of[j].each = append(of[j].each, us)
				if i == worst {
					want[j] += us / draws
				}
			}
		}
	}
	b := &bench{}
	b.worstOrders(of)
	if len(b.cells) != routings {
		t.Fatalf("%d cells; expected %d", len(b.cells), routings)
	}
	for j, c := range b.cells {
		if c.Kind != Fitted || c.Got < want[j]*(1-1e-12) || c.Got > want[j]*(1+1e-12) {
			t.Errorf("%s: %v, %s; expected %v, fitted", c.Cell, c.Got, c.Kind, want[j])
		}
	}
}

// A case of the closed loop is measured once, and cases that differ are told apart.
func TestClosedLoopIsMeasuredOnce(t *testing.T) {
	b := &bench{ctx: t.Context(), seed: 1, source: "rhinet2"}
	measure := func(routing, selection string) (rates []float64) {
		s := musubi.Scenario{Topology: "mesh:4x4", Routing: routing, Selection: selection}
		for range 2 {
			rate, err := b.closed(s, "complement")
			if err != nil {
				t.Fatal(err)
			}
			rates = append(rates, rate)
		}
		return rates
	}
	cases := [][]float64{measure("sbp", ""), measure("sbp", "low-port"), measure("updown", "")}
	if len(b.rates) != len(cases) {
		t.Errorf("%d measurements of %d cases", len(b.rates), len(cases))
	}
	for i, rates := range cases {
		if rates[0] != rates[1] || rates[0] == cases[(i+1)%len(cases)][0] {
			t.Errorf("case %d: %v, others %v", i, rates, cases)
		}
	}
}
