package mpi

import "testing"

// Numbers of sends that have been answered are used again.
func TestTableUsesNumbersAgain(t *testing.T) {
	var sends [3]Request
	var asked table
	for i := range sends {
		if id := asked.add(&sends[i]); id != uint32(i) {
			t.Errorf("send %d has number %d", i, id)
		}
	}
	asked.remove(1)
	if asked.get(1) != nil || asked.get(2) != &sends[2] || asked.get(3) != nil {
		t.Error("the table has not what it should")
	}
	if id := asked.add(&sends[1]); id != 1 {
		t.Errorf("number %d instead of that which is free", id)
	}
}
