package phantom_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"musubi/internal/phantom"
)

// Memories do not overlap, however large they are and whoever has them.
func TestMemoriesAreApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	type span struct{ begin, end *byte }
	memories := []*phantom.Memory{phantom.New(), phantom.New()}
	var all [][]byte
	for range 300 {
		b := memories[rng.IntN(2)].Bytes(rng.IntN(1 << rng.IntN(39)))
		if !phantom.Is(b) {
			t.Fatalf("memory of %d bytes is not phantom", len(b))
		}
		if len(b) > 0 {
			all = append(all, b)
		}
	}
	seen := map[span]bool{}
	for i, a := range all {
		s := span{&a[0], &a[len(a)-1]}
		if seen[s] {
			t.Fatalf("two memories of %d bytes have the same addresses", len(a))
		}
		seen[s] = true
		for _, b := range all[:i] {
			if phantom.Overlap(a, b) {
				t.Fatalf("memories of %d and %d bytes overlap", len(a), len(b))
			}
		}
	}
	for _, m := range memories {
		m.Free()
	}
}

// Addresses that have been given back are used again.
func TestAddressesComeAgain(t *testing.T) {
	for range 1000 {
		m := phantom.New()
		m.Bytes(1 << 42)
		m.Free()
	}
	m := phantom.New()
	defer m.Free()
	defer func() {
		if got := recover(); got != any(phantom.ErrExhausted) {
			t.Errorf("more than all addresses: panic %v, want ErrExhausted", got)
		}
	}()
	m.Bytes(1 << 48)
}

// Copies skip what is phantom, but take heads along: from phantom memory to phantom and to real one.
func TestCopiesTakeHeadsAlong(t *testing.T) {
	m := phantom.New()
	defer m.Free()
	message, other := m.Bytes(1000), m.Bytes(2000)
	head := []byte("of the protocol")
	phantom.Join(message, head, m.Bytes(985))
	if n := phantom.Copy(other, message); n != 1000 {
		t.Errorf("copied %d bytes, want 1000", n)
	}
	landed := bytes.Repeat([]byte{7}, 500)
	if n := phantom.Copy(landed, other); n != 500 {
		t.Errorf("copied %d bytes, want 500", n)
	}
	if want := append(bytes.Clone(head), bytes.Repeat([]byte{7}, 500-len(head))...); !bytes.Equal(landed, want) {
		t.Errorf("what has arrived begins with %q, want %q and nothing else changed", landed[:20], head)
	}
	if got := phantom.Head(other); !bytes.Equal(got, head) {
		t.Errorf("the head is %q, want %q", got, head)
	}
	if n := phantom.Copy(other, make([]byte, 10)); n != 10 {
		t.Errorf("copied %d real bytes to phantom memory, want 10", n)
	}
	if got := phantom.Head(message[1:]); len(got) > 0 {
		t.Errorf("a message that begins a byte later has head %q", got)
	}
	if real := phantom.Like(landed, 5); phantom.Is(real) || !phantom.Is(phantom.Like(message, 5)) {
		t.Error("memory is not like its model")
	}
}

// Whoever reads or writes phantom memory faults, in a way that can be told from other faults.
func TestAccessFaults(t *testing.T) {
	m := phantom.New()
	defer m.Free()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	b := m.Bytes(1 << 30)
	var none *[8]byte
	for _, c := range []struct {
		name   string
		access func()
		want   bool
	}{
		{"read", func() { runtime.KeepAlive(b[12345]) }, true},
		{"write", func() { b[1<<29] = 1 }, true},
		{"copy", func() { copy(make([]byte, 100), b) }, true},
		{"nil", func() { none[1]++ }, false},
	} {
		func() {
			defer func() {
				if got := recover(); got == nil || phantom.IsFault(got) != c.want {
					t.Errorf("%s: panic %v; want one of phantom memory: %v", c.name, got, c.want)
				}
			}()
			c.access()
		}()
	}
	runtime.GC() // finds pointers to phantom memory on the stack
}

// Data that a message refers to is found in the message and in its copies, and arrives in real memory as if it had been copied.
func TestMessagesReferToData(t *testing.T) {
	m := phantom.New()
	defer m.Free()
	head, data := []byte("envelope"), []byte("data that nobody changes")
	n := len(head) + len(data)
	message, copied := m.Bytes(n), m.Bytes(n)
	phantom.Refer(message, head, data)
	phantom.Copy(copied, message)
	var arrived phantom.Heads
	arrived.SetLike(7, copied)
	fetched := m.Bytes(n)
	if !arrived.Fetch(7, fetched) || arrived.Fetch(8, fetched) {
		t.Error("a message is not where it was put, or elsewhere")
	}
	for _, b := range [][]byte{message, copied, fetched} {
		if got := phantom.Data(b); !bytes.Equal(got, data) || &got[0] != &data[0] {
			t.Errorf("the data is %q; expected what the message refers to", got)
		}
		if got := phantom.Head(b); !bytes.Equal(got, head) {
			t.Errorf("the head is %q", got)
		}
	}
	for _, room := range []int{n, n - 5, 3} {
		into, whole := make([]byte, room), append(bytes.Clone(head), data...)
		if !arrived.Fetch(7, into) || !bytes.Equal(into, whole[:room]) {
			t.Errorf("%d bytes of the message are %q", room, into)
		}
	}
	longer := bytes.Repeat([]byte{7}, n+3)
	if got := phantom.Copy(longer, message); got != n || string(longer) != string(head)+string(data)+"\a\a\a" {
		t.Errorf("%d bytes have been copied to longer memory, which has %q", got, longer)
	}
	phantom.Join(message, head, m.Bytes(len(data)))
	if got := phantom.Data(message); got != nil || phantom.Data(data) != nil || phantom.Data(nil) != nil {
		t.Errorf("a message that refers to nothing has data %q", got)
	}
}
