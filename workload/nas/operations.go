package nas

import "math"

// The operations of an iteration are those by which the reference turns times into rates. They
// are floating-point operations, but for IS, which counts keys.

// cgNonzeros is how many non-zero numbers each of the vectors has that the matrix is made of.
var cgNonzeros = [...]float64{7, 8, 11, 13, 15}

func cgOperations(class int) float64 {
	z := cgNonzeros[class]
	product := z * (z + 1)
	return 2 * float64(cgOrder[class]) * (3 + product + cgSteps*(5+product) + 3)
}

func luOperations(class int) float64 {
	return polynomial(luPoints[class], 1984.77, -10923.3, 27770.9, -144010)
}

func spOperations(class int) float64 {
	return polynomial(spPoints[class], 881.174, -4683.91, 11484.5, -19272.4)
}

func btOperations(class int) float64 {
	return polynomial(btPoints[class], 3478.8, -17655.7, 28023.7, 0)
}

func mgOperations(class int) float64 { return polynomial(mgPoints[class], 58, 0, 0, 0) }

func isOperations(class int) float64 { return math.Exp2(float64(isSizes[class].keys)) }

// polynomial returns the value of a cubic for the points of a grid along each axis.
func polynomial(points int, cubic, square, linear, constant float64) float64 {
	n := float64(points)
	return ((cubic*n+square)*n+linear)*n + constant
}
