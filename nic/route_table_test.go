package nic

import "testing"

func TestRouteTableMiss(t *testing.T) {
	table := NewRouteTable[string](4)
	if _, ok := table.Lookup(1); ok {
		t.Fatal("an empty table has a route")
	}
	if !table.Wait(1, "first") || table.Wait(1, "second") {
		t.Error("expected the operating system to be asked for the first of two requests")
	}
	if dropped := table.Fill(1, Route{End: 9}); dropped != none {
		t.Errorf("node %d dropped from an empty table", dropped)
	}
	if _, ok := table.Lookup(1); ok {
		t.Error("a request overtakes those that wait")
	}
	for _, want := range []string{"first", "second"} {
		if got, route, ok := table.Next(1); !ok || got != want || route.End != 9 {
			t.Errorf("%q leaves to %d, %v; expected %q to 9", got, route.End, ok, want)
		}
	}
	if route, ok := table.Lookup(1); !ok || route.End != 9 {
		t.Errorf("route to %d, %v; expected 9", route.End, ok)
	}
}
