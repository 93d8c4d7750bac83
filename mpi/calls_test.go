package mpi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"musubi/internal/check"
)

// local are functions that return errors and reach no other rank, and New, before which there is nobody to tell.
var local = map[string]bool{
	"New": true, "Algorithms": true, "AlgorithmsFor": true, "Sent": true, "SetAlgorithm": true,
	"Parts": true, "Dims": true, "Cancel": true, "Coordinates": true, "RankAt": true, "Shift": true, "SendSyncInit": true,
	"GroupOf": true, "Include": true, "Exclude": true, "Translate": true, "DatatypeOf": true, "Memory": true,
}

// Whoever asks for the calls of a program is told of all that can take time: each exported function enters a call, or
// calls a function that does.
func TestAllCallsAreTold(t *testing.T) {
	files, err := filepath.Glob("*.go")
	check.Must(t, err)
	var all []*ast.FuncDecl
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		check.Must(t, err)
		for _, d := range f.Decls {
			if d, is := d.(*ast.FuncDecl); is {
				all = append(all, d)
			}
		}
	}
	told := map[string]bool{"Enter": true, "enter": true}
	for known := 0; known < len(told); {
		known = len(told)
		for _, d := range all {
			if calls(d, told) {
				told[d.Name.Name] = true
			}
		}
	}
	for _, d := range all {
		if name := d.Name.Name; d.Name.IsExported() && returnsError(d) && calls(d, told) == local[name] {
			t.Errorf("%s tells of its call: %t", name, calls(d, told))
		}
	}
}

func returnsError(d *ast.FuncDecl) bool {
	if d.Type.Results == nil {
		return false
	}
	for _, r := range d.Type.Results.List {
		if id, is := r.Type.(*ast.Ident); is && id.Name == "error" {
			return true
		}
	}
	return false
}

// calls reports whether a function calls one of others, by its name alone or as a method of something that is not of
// an inner package: c.inner().Wait() is another Wait.
func calls(d *ast.FuncDecl, others map[string]bool) (does bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			does = does || others[f.Name]
		case *ast.SelectorExpr:
			does = does || others[f.Sel.Name] && (f.Sel.Name == "Enter" || f.Sel.Name == "enter" || !isInner(f.X))
		}
		return true
	})
	return does
}

// isInner reports whether an expression is of a package below.
func isInner(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		s, is := x.Fun.(*ast.SelectorExpr)
		return is && s.Sel.Name == "inner"
	case *ast.SelectorExpr:
		return x.Sel.Name == "comm" || x.Sel.Name == "window" || x.Sel.Name == "send" || x.Sel.Name == "receive"
	case *ast.Ident:
		return x.Name == "core" || x.Name == "inner" || x.Name == "comm"
	}
	return false
}
