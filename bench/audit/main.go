// Command audit asks what OpenSM's routing engines give: it brings networks up on the simulator ibsim, whole
// and with failed links, lets OpenSM route them, and proves the tables that it has, with the service
// levels that it hands out.
//
//	go run ./bench/audit -rows audit.csv           networks of the kinds people build: an hour or more; it can be interrupted, and goes on
//	go run ./bench/audit -rows audit.csv -tables   tables of what is known so far
//	go run ./bench/audit -quick                    two small networks: a minute
//	go run ./bench/audit -failed 0 fabric.ibnetdiscover    dumps of fabrics in any format
//
// It needs Debian's packages opensm and ibsim-utils. docs/audit.md has its tables.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// built are networks of the kinds that people build, small ones first: those of docs/audit.md.
var built = strings.Fields(`
	ring:4 ring:5 ring:6 ring:7 ring:8 ring:12 ring:16
	fullmesh:4 fullmesh:6 fullmesh:8 fullmesh:12 fullmesh:16
	tree:arity=2,levels=3 tree:arity=3,levels=3
	hypercube:3 hypercube:4 hypercube:5 hypercube:6
	mesh:3x3 mesh:4x4 mesh:5x5 mesh:6x6 mesh:8x4 mesh:3x3x3 mesh:4x4x4
	torus:3x3 torus:4x4 torus:5x5 torus:6x6 torus:8x4 torus:8x8 torus:3x3x3 torus:4x4x3 torus:4x4x4 torus:5x5x4
	fattree:k=4 fattree:k=6 fattree:k=8
	xgft:m=4x4,w=1x2 xgft:m=4x4,w=1x4 xgft:m=6x6,w=1x3 xgft:m=8x8,w=1x4 xgft:m=8x16,w=1x8
	xgft:m=2x3x4,w=1x2x3 xgft:m=4x4x4,w=1x2x2 xgft:m=4x4x4,w=1x4x2 xgft:m=4x4x8,w=1x2x2 xgft:m=2x2x2x2,w=1x2x2x2
	rail:nodes=16,rails=4 rail:nodes=32,rails=8
	dragonfly:a=2,h=1,p=1 dragonfly:a=3,h=1,p=2 dragonfly:a=4,h=1,p=2 dragonfly:a=4,h=2,p=1 dragonfly:a=4,h=2,p=2 dragonfly:a=6,h=2,p=2
	hyperx:3x3 hyperx:4x4 hyperx:4x4,k=2 hyperx:4x4,t=4 hyperx:6x6 hyperx:3x3x3 hyperx:8x8 hyperx:4x4x4
	slimfly:q=3 slimfly:q=4 slimfly:q=5
	polarfly:q=3 polarfly:q=4 polarfly:q=5 polarfly:q=7
	random:switches=16,degree=3,seed=1 random:switches=16,degree=3,seed=2 random:switches=16,degree=3,seed=3
	random:switches=16,degree=4,seed=1 random:switches=16,degree=4,seed=2 random:switches=16,degree=4,seed=3
	random:switches=16,degree=6,seed=1 random:switches=16,degree=6,seed=2 random:switches=16,degree=6,seed=3
	random:switches=32,degree=3,seed=1 random:switches=32,degree=3,seed=2 random:switches=32,degree=3,seed=3
	random:switches=32,degree=4,seed=1 random:switches=32,degree=4,seed=2 random:switches=32,degree=4,seed=3
	random:switches=32,degree=6,seed=1 random:switches=32,degree=6,seed=2 random:switches=32,degree=6,seed=3
	random:switches=64,degree=4,seed=1 random:switches=64,degree=4,seed=2 random:switches=64,degree=4,seed=3
	random:switches=64,degree=6,seed=1 random:switches=64,degree=6,seed=2 random:switches=64,degree=6,seed=3
	random:switches=64,degree=8,seed=1 random:switches=64,degree=8,seed=2 random:switches=64,degree=8,seed=3
	random:switches=128,degree=4,seed=1 random:switches=128,degree=6,seed=1 random:switches=128,degree=10,seed=1
	rhinet2-a rhinet2-b
`)

type settings struct {
	networks []string
	failed   []int
	engines  []string
	rows     string
	pairs    int
	patience time.Duration
	preload  string
}

func main() {
	var s settings
	failed := flag.String("failed", "0,1,2", "numbers of links between switches that have failed")
	engines := flag.String("engines", strings.Join(usualEngines(), ";"), "routing engines of OpenSM, separated by semicolons")
	quick := flag.Bool("quick", false, "two small networks")
	flag.StringVar(&s.rows, "rows", "", "a CSV file that rows are kept in; those that it has are not found out again")
	tables := flag.Bool("tables", false, "print tables of the rows that the file has, and find out no more")
	flag.IntVar(&s.pairs, "pairs", 400000, "ask OpenSM for the service levels of no more paths than these")
	flag.DurationVar(&s.patience, "patience", 3*time.Minute, "how long OpenSM may take")
	flag.Parse()
	s.networks = flag.Args()
	if *tables && s.rows == "" {
		fail(errors.New("-tables is about the rows of a file; name it with -rows"))
	}
	switch {
	case *tables:
	case *quick && len(s.networks) == 0:
		s.networks = []string{"ring:6", "random:switches=8,degree=3,seed=1"}
	case len(s.networks) == 0:
		s.networks = built
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
	kept, err := openRows(s.rows)
	if err != nil {
		return err
	}
	failures := 0
	for _, name := range s.networks {
		for _, failed := range s.failed {
			n, err := s.network(name, failed, kept)
			if err != nil {
				return err
			}
			failures += n
		}
	}
	printTables(os.Stdout, kept.all)
	if failures > 0 {
		return fmt.Errorf("%d rows could not be found out", failures)
	}
	return nil
}

// network audits all engines on a network that are not known yet, and counts those on which it failed.
func (s *settings) network(name string, failed int, kept *rows) (failures int, err error) {
	missing := slices.DeleteFunc(slices.Clone(s.engines), func(e string) bool { return kept.has[key{filepath.Base(name), failed, e}] })
	if len(missing) == 0 {
		return 0, nil
	}
	c, err := newCandidate(name, failed)
	if err != nil || c == nil { // no such number of links can fail
		return 0, err
	}
	for _, e := range missing {
		r, err := s.audit(c, engineNamed(e))
		switch {
		case err != nil: // others may do
			fmt.Fprintf(os.Stderr, "audit: %s, %d failed, %s: %v\n", name, failed, e, err)
			failures++
			continue
		case r == nil:
			continue
		}
		fmt.Println(strings.Join(r.fields(), "  "))
		if err := kept.add(r); err != nil {
			return failures, err
		}
	}
	return failures, nil
}
