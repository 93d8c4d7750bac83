package dimmnet

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPortAdmits(t *testing.T) {
	const group, process = 7, 3
	for _, test := range []struct {
		name           string
		group, to      uint16
		admitted       bool
		foreign, stray uint64
	}{
		{"own group, this process", group, process, true, 0, 0},
		{"own group, another process", group, process + 1, false, 0, 1},
		{"foreign group, this process", group + 1, process, false, 1, 0},
		{"foreign group, another process", group + 1, process + 1, false, 1, 0},
		{"group 0", 0, process, false, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := NewPort(group, process)
			if got := p.Admit(&Header{Group: test.group, To: test.to}); got != test.admitted {
				t.Errorf("admitted: %v; expected %v", got, test.admitted)
			}
			if p.Foreign() != test.foreign || p.Stray() != test.stray {
				t.Errorf("%d foreign, %d stray; expected %d and %d", p.Foreign(), p.Stray(), test.foreign, test.stray)
			}
		})
	}
}

// A user may write anything into a header, in or out of range. What arrives has
// the group and the sender of the port that it was sent through, and reaches
// processes of that group only.
func TestUsersCannotForgeGroupOrSender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Uint16Max(3)
		sender := NewPort(id.Draw(t, "sender's group"), id.Draw(t, "sender"))
		receiver := NewPort(id.Draw(t, "receiver's group"), id.Draw(t, "receiver"))
		foreign, stray := uint64(0), uint64(0)
		for range 20 {
			h := forgedHeader(t)
			h.To = id.Draw(t, "to")
			got, ok := transmit(&sender, h)
			if !ok {
				continue
			}
			if got.Group != sender.group || got.From != sender.process {
				t.Fatalf("%+v arrives as group %d, sender %d; expected %d and %d", h, got.Group, got.From, sender.group, sender.process)
			}
			mayReach := got.Group == receiver.group && h.To == receiver.process
			if receiver.Admit(&got) != mayReach {
				t.Fatalf("%+v admitted by %+v: %v; expected %v", got, receiver, !mayReach, mayReach)
			}
			switch {
			case got.Group != receiver.group:
				foreign++
			case !mayReach:
				stray++
			}
		}
		if receiver.Foreign() != foreign || receiver.Stray() != stray {
			t.Errorf("%d foreign, %d stray; expected %d and %d", receiver.Foreign(), receiver.Stray(), foreign, stray)
		}
	})
}

// forgedHeader has any values that the types of the fields admit.
func forgedHeader(t *rapid.T) Header {
	return Header{
		Operation: Operation(rapid.Uint8().Draw(t, "operation")),
		Flags:     Flags(rapid.Uint8().Draw(t, "flags")),
		Data:      rapid.Int().Draw(t, "size"),
		Group:     rapid.Uint16().Draw(t, "group"),
		From:      rapid.Uint16().Draw(t, "from"),
		Address:   rapid.Uint64().Draw(t, "address"),
		Sequence:  rapid.Uint16().Draw(t, "sequence"),
		Long:      rapid.Bool().Draw(t, "long"),
		Word:      rapid.Uint64().Draw(t, "word"),
	}
}

// transmit sends a header as lines. It is not ok if the other side refuses them.
func transmit(p *Port, h Header) (Header, bool) {
	p.Stamp(&h)
	var lines [3]Line
	got, _, err := DecodeHeader(lines[:h.Encode(lines[:])])
	return got, err == nil
}

// Nothing that a user holds can change what a port stamps or admits.
func TestPortsCannotBeChanged(t *testing.T) {
	port := reflect.TypeFor[Port]()
	for i := range port.NumField() {
		if f := port.Field(i); f.IsExported() {
			t.Errorf("field %s of Port is exported; expected none to be", f.Name)
		}
	}
	known := []string{"Admit", "Foreign", "Process", "Stamp", "Stray"}
	methods := reflect.TypeFor[*Port]()
	for i := range methods.NumMethod() {
		if m := methods.Method(i); !slices.Contains(known, m.Name) {
			t.Errorf("method %s of Port is unknown here; expected %q, none of which sets group or process", m.Name, known)
		}
	}
	p := NewPort(7, 3)
	before := p
	h := Header{Group: 7, To: 3}
	p.Stamp(&h)
	if !p.Admit(&h) || p != before || p.Process() != 3 {
		t.Errorf("port %+v after use; expected %+v", p, before)
	}
}
