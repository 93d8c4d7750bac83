// Package cc has the subcommands that call a compiler for programs of MPI.
package cc
