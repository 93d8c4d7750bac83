// Package field computes in finite fields, GF(p^k) for a prime p.
//
// Elements are the numbers 0 to p^k-1. The digits of a number in base p are the coefficients of a
// polynomial, so that 0 and 1 are the neutral elements, and in a prime field numbers are added and
// multiplied modulo p.
package field

import "fmt"

// Most bounds the number of elements of a field, for which tables are kept.
const Most = 1 << 16

// Field is a finite field. It does not change.
type Field struct {
	order, prime int
	power, log   []int // of the primitive element
}

// New makes the field with q elements. It fails if there is none, as q is no power of a prime, or if q is
// larger than Most.
func New(q int) (*Field, error) {
	if q > Most {
		return nil, fmt.Errorf("a field of %d elements; expected at most %d", q, Most)
	}
	p := root(q)
	if p == 0 {
		return nil, fmt.Errorf("no field has %d elements; expected a power of a prime, such as %d", q, next(q))
	}
	f := &Field{order: q, prime: p, log: make([]int, q)}
	for tail := range q {
		if f.generate(tail) {
			return f, nil
		}
	}
	panic(fmt.Sprintf("GF(%d) has no primitive element", q))
}

// Has reports whether there is a field with q elements: whether q is a power of a prime.
func Has(q int) bool { return root(q) > 0 }

// root returns the prime of which q is a power, 0 if there is none.
func root(q int) int {
	for p := 2; p <= q; p++ {
		if q%p != 0 {
			continue
		}
		for ; q%p == 0; q /= p {
		}
		if q == 1 {
			return p
		}
		return 0
	}
	return 0
}

// next returns the smallest power of a prime above q.
func next(q int) int {
	for q = max(q+1, 2); !Has(q); q++ {
	}
	return q
}

// generate fills the tables with the powers of x modulo x^k minus the polynomial with the digits of
// tail, k being the number of digits, and reports whether these are all elements but 0: whether x is a primitive element, and the
// modulus irreducible.
func (f *Field) generate(tail int) bool {
	top := f.order / f.prime // x^(k-1)
	f.power = append(f.power[:0], 1)
	at := f.shift(1, tail, top)
	for ; at > 1 && len(f.power) < f.order; at = f.shift(at, tail, top) {
		f.log[at] = len(f.power)
		f.power = append(f.power, at)
	}
	f.log[1] = 0
	return at == 1 && len(f.power) == f.order-1
}

// shift multiplies an element by x.
func (f *Field) shift(a, tail, top int) int {
	return f.Add(a%top*f.prime, f.scale(a/top, tail))
}

// scale multiplies all digits of an element by a number below the prime.
func (f *Field) scale(by, a int) int {
	sum := 0
	for place := 1; a > 0; place *= f.prime {
		sum += by * (a % f.prime) % f.prime * place
		a /= f.prime
	}
	return sum
}

// Order is the number of elements.
func (f *Field) Order() int { return f.order }

// Add returns a+b.
func (f *Field) Add(a, b int) int {
	sum := 0
	for place := 1; a > 0 || b > 0; place *= f.prime {
		sum += (a%f.prime + b%f.prime) % f.prime * place
		a, b = a/f.prime, b/f.prime
	}
	return sum
}

// Neg returns -a.
func (f *Field) Neg(a int) int { return f.scale(f.prime-1, a) }

// Mul returns a*b.
func (f *Field) Mul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return f.Power(f.log[a] + f.log[b])
}

// Div returns a/b, for a b that is not 0.
func (f *Field) Div(a, b int) int { return f.Mul(a, f.Power(len(f.power)-f.log[b])) }

// Power returns the i-th power of a primitive element, i from 0: the powers below Order-1 are all
// elements but 0.
func (f *Field) Power(i int) int { return f.power[i%len(f.power)] }
