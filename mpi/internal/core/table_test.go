package core

import "testing"

// Numbers of sends that have been answered are used again.
func TestTableUsesNumbersAgain(t *testing.T) {
	var sends [3]int
	var asked Table[*int]
	for i := range sends {
		if id := asked.Add(&sends[i]); id != uint32(i) {
			t.Errorf("send %d has number %d", i, id)
		}
	}
	asked.Remove(1)
	if asked.Get(1) != nil || asked.Get(2) != &sends[2] || asked.Get(3) != nil {
		t.Error("the table has not what it should")
	}
	if id := asked.Add(&sends[1]); id != 1 {
		t.Errorf("number %d instead of that which is free", id)
	}
}
