package nas

import "math/bits"

// Classes are the names of the sizes of problems. Tables of sizes are in this order; the
// numbers come from NPB 3.3 (sys/setparams.c).
var Classes = []string{"S", "W", "A", "B", "C"}

// double is the size in bytes of the numbers in all kernels but IS.
const double = 8

// Kernel is one of the benchmarks.
type Kernel struct {
	Name string
	// Fits reports whether a problem can be divided among that many processes.
	Fits   func(class, ranks int) bool
	script func(class, ranks, rank int) Script
	// operations is how many operations all processes do together in an iteration.
	operations func(class int) float64
	iterations [5]int // of the whole benchmark, by class
}

// Iterations returns how many iterations the whole benchmark has.
func (k *Kernel) Iterations(class int) int { return k.iterations[class] }

// Script returns the actions of a process.
func (k *Kernel) Script(class, ranks, rank int) Script {
	s := k.script(class, ranks, rank)
	if s.share == 0 {
		s.share = 1 / float64(ranks)
	}
	all := 0.0
	for i := range s.iteration {
		all += s.iteration[i].weight
	}
	s.operations = k.operations(class) * s.share / all
	return s
}

// Kernels are all benchmarks, in the order in which they run. IS comes last because its collective
// operations wait for memory, while no process may still send messages to rings.
var Kernels = []Kernel{
	{"mg", mgFits, mgScript, mgOperations, [...]int{4, 4, 4, 20, 20}},
	{"cg", cgFits, cgScript, cgOperations, [...]int{15, 15, 15, 75, 75}},
	{"lu", luFits, luScript, luOperations, [...]int{50, 300, 250, 250, 250}},
	{"sp", spFits, spScript, spOperations, [...]int{100, 400, 400, 400, 400}},
	{"bt", btFits, btScript, btOperations, [...]int{60, 200, 200, 200, 200}},
	{"is", isFits, isScript, isOperations, [...]int{10, 10, 10, 10, 10}},
}

// Names returns the names of all benchmarks.
func Names() []string {
	var names []string
	for _, k := range Kernels {
		names = append(names, k.Name)
	}
	return names
}

// isPower reports whether a positive number is a power of two.
func isPower(n int) bool { return n&(n-1) == 0 }

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }

// share returns how many of n points a part gets; the first parts get one more if n is not
// divisible.
func share(n, parts, part int) int {
	if part < n%parts {
		return n/parts + 1
	}
	return n / parts
}
