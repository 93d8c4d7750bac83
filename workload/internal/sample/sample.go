package sample

import (
	"math"
	"slices"

	"musubi/units"
)

// Mean returns the mean of a sample.
func Mean(numbers []float64) float64 {
	sum := 0.0
	for _, x := range numbers {
		sum += x
	}
	return sum / float64(len(numbers))
}

// Sum returns the sum of a sample.
func Sum(numbers []float64) float64 {
	total := 0.0
	for _, x := range numbers {
		total += x
	}
	return total
}

// Deviation returns the standard deviation of a random variable of which there is a sample.
func Deviation(sample []float64) float64 {
	middle, sum := Mean(sample), 0.0
	for _, x := range sample {
		sum += (x - middle) * (x - middle)
	}
	return math.Sqrt(sum / float64(len(sample)-1))
}

// Median returns the median of a sample, the upper one of two.
func Median(times []units.Time) units.Time {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// Overlap returns the fraction, from 0 to 1, of the time that a computation could hide and does
// hide. Time is saved because processors wait less, so a computation can hide at most the waiting
// time without it, and at most its own length. If that is nothing, all of it is hidden.
func Overlap(saved, idle, compute units.Time) float64 {
	hideable := min(idle, compute)
	if hideable == 0 {
		return 1
	}
	return min(max(0, float64(saved)/float64(hideable)), 1)
}
