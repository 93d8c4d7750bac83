// Package osu measures package mpi as the OSU micro-benchmarks do (version 5.9, Ohio State
// University): with the same messages and calls in the same order, and equally many of them.
package osu
