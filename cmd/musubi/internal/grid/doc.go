// Package grid runs a scenario with lists of values at all points, and prints the outcomes in one
// table.
package grid
