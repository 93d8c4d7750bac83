// Package collectives has the functions of collective operations, and of local reductions.
package collectives
