//go:build !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "abi: built without cgo; expected a C compiler, as for abi/install")
	os.Exit(2)
}
