// Command custom-machine asks what a change of hardware would buy: it runs a workload on
// a machine that comes with Musubi, and on one that differs in a single value,
// described in overlap.toml.
//
//	go run ./examples/custom-machine examples/custom-machine/overlap.toml
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"musubi"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: custom-machine MACHINE.toml")
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, custom string) error {
	for _, machine := range []string{"rhinet2", custom} {
		result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
			Workload: "stream",
			Machine:  machine,
			Set:      map[string]string{"bytes": "1792", "window": "4"},
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %.1f %s\n", result.Machine, result.Rows[0].Value, result.Rows[0].Unit)
	}
	return nil
}
