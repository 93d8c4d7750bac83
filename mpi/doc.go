// Package mpi is message passing on the contract of package rma.
package mpi
