// Package standard has the names of the functions of the MPI standard ABI and the values of its
// constants (MPI 5.0, chapter 20). Both are made from the lists in abi/standard.
package standard
