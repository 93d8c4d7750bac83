package workload

import "math/bits"

// nasClasses are the sizes of problems. Tables of sizes are in this order; their
// numbers are those of NPB 3.3 (sys/setparams.c).
var nasClasses = []string{"S", "W", "A", "B", "C"}

// double is the size in bytes of the numbers in all kernels but IS.
const double = 8

// nasKernel is one of the benchmarks.
type nasKernel struct {
	name string
	// fits reports whether a problem can be divided among that many processes.
	fits func(class, ranks int) bool
	// script returns the actions of a process.
	script func(class, ranks, rank int) script
}

var nasKernels = []nasKernel{
	{"mg", mgFits, mgScript},
	{"cg", cgFits, cgScript},
	{"lu", luFits, luScript},
	{"sp", spFits, spScript},
	{"bt", btFits, btScript},
	{"is", isFits, isScript}, // last, see nas
}

func nasNames() []string {
	var names []string
	for _, k := range nasKernels {
		names = append(names, k.name)
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
