// Command musubi-vet looks for mistakes in programs that use package mpi, for go vet:
//
//	go get -tool musubi/cmd/musubi-vet
//	go vet -vettool=$(go tool -n musubi-vet) ./...
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"musubi/mpi/vet"
)

func main() { unitchecker.Main(vet.Analyzer) }
