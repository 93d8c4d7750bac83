// Command compare-routings asks which routing suits an irregular network: by the lengths
// of paths and the loads of links, as a network alone shows them, and by what is
// left of the difference when hosts and network interfaces take part.
//
//	go run ./examples/compare-routings
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
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	fmt.Fprintf(out, "%-8s %10s %10s %10s\n", "routing", "mean hops", "max load", "MB/s")
	for _, routing := range []string{"prefix", "updown", "dl", "lash"} {
		system, err := musubi.Build(musubi.Scenario{
			Workload: "pattern",
			Set:      map[string]string{"pattern": "complement", "bytes": "1792"},
			Machine:  "rhinet2",
			Topology: "random:switches=16,degree=4,seed=5",
			Routing:  routing,
		})
		if err != nil {
			return err
		}
		result, err := system.RunWorkload(context.Background())
		if err != nil {
			return err
		}
		paths := system.Routes.Statistics()
		// The first row is the mean over all senders.
		fmt.Fprintf(out, "%-8s %10.2f %10d %10.1f\n", routing, paths.Hops.Mean, paths.ChannelLoad.Max, result.Rows[0].Value)
	}
	return nil
}
