package health

import (
	"net"
	"testing"
)

// TestWhoDoesNotReadKeepsNobodyWaiting: the hub has sent messages to all members when it has sent them to one that does
// not read, each member gets all of them in their order, and heartbeats that wait are one.
func TestWhoDoesNotReadKeepsNobodyWaiting(t *testing.T) {
	h := &Hub{}
	var ends [2]*Connection
	for rank := range ends {
		there, here := net.Pipe() // whose messages are sent when they are read
		defer there.Close()
		ends[rank] = NewConnection(here)
		connection := NewConnection(there)
		h.members = append(h.members, &member{connection: connection, out: outbox{connection: connection, tasks: &h.tasks}, Introduction: Introduction{Rank: rank}})
	}
	const questions = 3
	for i := range uint64(questions) {
		h.tell(ControlMessage{Ask: i + 1})
		h.listen()
		h.listen()
	}
	for rank := len(ends) - 1; rank >= 0; rank-- { // rank 0 reads when rank 1 has read all
		for i := range uint64(questions) {
			said, err := ends[rank].receive()
			if err != nil || said.Ask != i+1 {
				t.Fatalf("rank %d: message %d is %+v, %v; expected question %d", rank, i, said, err, i+1)
			}
		}
	}
	h.tasks.Wait()
	h.listen()
	for rank, end := range ends {
		if said, err := end.receive(); err != nil || said.Ask != 0 {
			t.Errorf("rank %d: %+v, %v; expected a heartbeat", rank, said, err)
		}
	}
	h.tasks.Wait()
}
