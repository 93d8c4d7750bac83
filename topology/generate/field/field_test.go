package field

import (
	"testing"

	"pgregory.net/rapid"

	"musubi/internal/check"
)

// The axioms of a field, for all orders up to 32 and some larger ones.
func TestFieldsHaveTheAxioms(t *testing.T) {
	orders := map[int]bool{2: true, 3: true, 4: true, 5: true, 7: true, 8: true, 9: true, 11: true, 13: true, 16: true, 17: true, 19: true, 23: true, 25: true, 27: true, 29: true, 31: true, 32: true}
	for q := range 33 {
		f, err := New(q)
		if (err == nil) != orders[q] {
			t.Errorf("GF(%d): error %v", q, err)
		}
		if err == nil {
			rapid.Check(t, func(t *rapid.T) { axioms(t, f) })
		}
	}
	for _, q := range []int{49, 64, 81, 121, 125, 243, 256, 343, 65521, 65536} {
		f, err := New(q)
		check.Must(t, err)
		rapid.Check(t, func(t *rapid.T) { axioms(t, f) })
	}
}

func axioms(t *rapid.T, f *Field) {
	element := rapid.IntRange(0, f.Order()-1)
	a, b, c := element.Draw(t, "a"), element.Draw(t, "b"), element.Draw(t, "c")
	if b != 0 && f.Mul(f.Div(a, b), b) != a {
		t.Fatalf("GF(%d): %d/%d is %d", f.Order(), a, b, f.Div(a, b))
	}
	for _, law := range []struct {
		name        string
		left, right int
	}{
		{"a+b = b+a", f.Add(a, b), f.Add(b, a)},
		{"(a+b)+c = a+(b+c)", f.Add(f.Add(a, b), c), f.Add(a, f.Add(b, c))},
		{"a+0 = a", f.Add(a, 0), a},
		{"a+(-a) = 0", f.Add(a, f.Neg(a)), 0},
		{"ab = ba", f.Mul(a, b), f.Mul(b, a)},
		{"(ab)c = a(bc)", f.Mul(f.Mul(a, b), c), f.Mul(a, f.Mul(b, c))},
		{"1a = a", f.Mul(1, a), a},
		{"a(b+c) = ab+ac", f.Mul(a, f.Add(b, c)), f.Add(f.Mul(a, b), f.Mul(a, c))},
	} {
		if law.left != law.right {
			t.Fatalf("GF(%d), a=%d b=%d c=%d: %s: %d and %d", f.Order(), a, b, c, law.name, law.left, law.right)
		}
	}
}

func TestPowersAreAllElements(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 8, 9, 25, 27, 49, 128} {
		f, err := New(q)
		check.Must(t, err)
		seen := map[int]bool{}
		for i := range q - 1 {
			seen[f.Power(i)] = true
		}
		if len(seen) != q-1 || seen[0] {
			t.Errorf("GF(%d): %d powers", q, len(seen))
		}
	}
}

func TestNoFieldNamesTheNextOne(t *testing.T) {
	for q, want := range map[int]string{
		-3: "such as 2", 0: "such as 2", 1: "such as 2", 6: "such as 7", 10: "such as 11", 24: "such as 25", 100000: "at most 65536",
	} {
		_, err := New(q)
		check.Error(t, err, want)
	}
}
