package nas

import "math/bits"

// Classes are the names of the sizes of problems. Tables of sizes are in this order; their
// numbers are those of NPB 3.3 (sys/setparams.c).
var Classes = []string{"S", "W", "A", "B", "C"}

// double is the size in bytes of the numbers in all kernels but IS.
const double = 8

// Kernel is one of the benchmarks.
type Kernel struct {
	Name string
	// Fits reports whether a problem can be divided among that many processes.
	Fits func(class, ranks int) bool
	// Script returns the actions of a process.
	Script func(class, ranks, rank int) Script
}

// Kernels are all benchmarks, in the order in which they run. IS comes last because its collective
// operations wait for memory, while no process may still send messages to rings.
var Kernels = []Kernel{
	{"mg", mgFits, mgScript},
	{"cg", cgFits, cgScript},
	{"lu", luFits, luScript},
	{"sp", spFits, spScript},
	{"bt", btFits, btScript},
	{"is", isFits, isScript},
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
