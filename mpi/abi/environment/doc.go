// Package environment has the functions of the start and the end of programs, sessions, errors, info objects and MPI_T.
package environment
