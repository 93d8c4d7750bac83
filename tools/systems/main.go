// Command systems checks that a package compiles on other systems, by types alone: to compile all that it needs takes
// minutes for each system.
//
//	systems DIR PACKAGE SYSTEM/PROCESSOR...
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "systems: expected a folder, a package, and systems such as windows/amd64")
		os.Exit(2)
	}
	for _, target := range os.Args[3:] {
		n, err := check(os.Args[1], os.Args[2], target)
		if err != nil {
			fmt.Fprintln(os.Stderr, "systems:", err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages have their types\n", target, n)
	}
}

// check returns how many packages a package consists of, of those in its module. It fails if one of them has a
// mistake on a system; others have been checked by those who publish them.
func check(dir, name, target string) (int, error) {
	system, processor, isTarget := strings.Cut(target, "/")
	if !isTarget {
		return 0, fmt.Errorf("%q; expected a system and a processor, such as windows/amd64", target)
	}
	on := packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
	}
	found, err := packages.Load(&on, name)
	if err != nil {
		return 0, err
	}
	var own []string
	packages.Visit(found, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main {
			own = append(own, p.PkgPath)
		}
	})
	if len(own) == 0 {
		return 0, fmt.Errorf("%s is not in the module of %s", name, dir)
	}
	on.Mode = packages.LoadAllSyntax // of all that is not asked for, it leaves the bodies of functions out
	loaded, err := packages.Load(&on, own...)
	if err != nil {
		return 0, err
	}
	var errs []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			errs = append(errs, fmt.Errorf("on %s: %w", target, e))
		}
	})
	return len(own), errors.Join(errs...)
}
