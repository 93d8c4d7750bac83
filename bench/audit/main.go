// Command audit asks what OpenSM's routing engines give: it brings networks up on the simulator ibsim, whole
// and with failed links, lets OpenSM route them, and proves the tables that it has, with the service
// levels that it hands out.
//
//	go run ./bench/audit                        networks of the kinds people build: an hour or more
//	go run ./bench/audit -quick                 two small networks: a minute
//	go run ./bench/audit -failed 0 fabric.ibnetdiscover    dumps of fabrics in any format
//
// It needs Debian's packages opensm, ibsim-utils and infiniband-diags. The table that it prints is in
// Markdown; docs/audit.md has one.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// kinds are networks of the kinds that people build: those of docs/audit.md.
var kinds = []string{
	"fattree:k=4", "fullmesh:8", "ring:8", "torus:4x4", "mesh:4x4", "hypercube:4",
	"random:switches=16,degree=4,seed=1", "random:switches=16,degree=4,seed=2", "random:switches=16,degree=4,seed=3",
	"fattree:k=6", "torus:3x3x3", "torus:6x6", "hypercube:6", "dragonfly:a=4,h=2,p=2", "random:switches=32,degree=6,seed=1",
	"random:switches=64,degree=6,seed=1", "random:switches=64,degree=6,seed=2", "random:switches=64,degree=6,seed=3",
}

type settings struct {
	networks []string
	failed   []int
	engines  []string
	pairs    int
	patience time.Duration
	preload  string
}

func main() {
	var s settings
	failed := flag.String("failed", "0,1,2", "numbers of links between switches that have failed")
	engines := flag.String("engines", strings.Join(engineNames(), ";"), "routing engines of OpenSM, separated by semicolons")
	quick := flag.Bool("quick", false, "two small networks")
	flag.IntVar(&s.pairs, "pairs", 800, "ask OpenSM for the service levels of at most so many paths")
	flag.DurationVar(&s.patience, "patience", 3*time.Minute, "how long OpenSM may take")
	flag.Parse()
	s.networks = flag.Args()
	switch {
	case *quick && len(s.networks) == 0:
		s.networks = []string{"ring:6", "random:switches=8,degree=3,seed=1"}
	case len(s.networks) == 0:
		s.networks = kinds
	}
	s.engines = strings.Split(*engines, ";")
	for text := range strings.SplitSeq(*failed, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			fail(fmt.Errorf("-failed %s; expected numbers such as 0,1,2", *failed))
		}
		s.failed = append(s.failed, n)
	}
	if err := s.run(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "audit:", err)
	os.Exit(2)
}

// run audits all networks, and prints a row as soon as it is known.
func (s *settings) run() (err error) {
	if s.preload, err = findPrograms(); err != nil {
		return err
	}
	for _, name := range s.engines {
		if engineNamed(name) == nil {
			return fmt.Errorf("engine %q; expected some of %s", name, strings.Join(engineNames(), ", "))
		}
	}
	fmt.Println("| network | failed | engine | routed by | pairs lost | deadlock | lanes | mean hops | worst load | OpenSM [s] |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	var total tally
	for _, name := range s.networks {
		for _, failed := range s.failed {
			c, err := newCandidate(name, failed)
			if err != nil {
				return err
			}
			if c == nil {
				continue // no such number of links can fail
			}
			for _, e := range s.engines {
				row, err := s.audit(c, engineNamed(e))
				if err != nil {
					return fmt.Errorf("%s, %d failed, %s: %w", name, failed, e, err)
				}
				if row != nil {
					fmt.Println(row)
					total.add(row)
				}
			}
		}
	}
	total.print()
	return nil
}
