package check

import (
	"testing"

	"pgregory.net/rapid"
)

func randomSaid(t *rapid.T) Said {
	text := rapid.StringMatching(`[A-Za-z+ ]{0,60}`)
	number := rapid.IntRange(-1, 1<<40)
	return Said{
		Call: text.Draw(t, "call"), Type: text.Draw(t, "type"), Op: text.Draw(t, "op"), Algorithm: text.Draw(t, "algorithm"), Lengths: text.Draw(t, "lengths"),
		Root: number.Draw(t, "root"), Count: number.Draw(t, "count"), Element: number.Draw(t, "element"),
	}
}

// What a rank says is read as it was written, whatever follows it.
func TestDescriptionsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := randomSaid(t)
		read, err := Read(append(said.Append(nil), 1, 2, 3))
		if err != nil || read != said {
			t.Errorf("read %+v, %v; expected %+v", read, err, said)
		}
	})
}

// A description of messages has its length, and short texts whole.
func TestDescriptionsFitIntoMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := randomSaid(t)
		b := said.Fixed()
		read, err := Read(b)
		if err != nil || len(b) != Bytes {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		if len(said.Type) <= mostText && read.Type != said.Type {
			t.Errorf("type %q; expected %q", read.Type, said.Type)
		}
		if what, _ := said.Difference(&said); what != "" {
			t.Errorf("differs from itself in the %s", what)
		}
	})
}

// Bytes that nobody has written are refused, or read without a fault.
func FuzzRead(f *testing.F) {
	f.Add((&Said{Call: "Barrier", Root: -1, Count: -1}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		said, err := Read(b)
		if err != nil {
			return
		}
		if again, err := Read(said.Append(nil)); err != nil || again != said {
			t.Errorf("%+v is read as %+v, %v", said, again, err)
		}
	})
}
