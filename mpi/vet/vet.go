// Package vet finds in programs what package mpi refuses only when they run: elements that are not made of
// numbers and booleans alone, such as structs with strings, slices or pointers.
package vet

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports functions and types of package mpi that a program uses with elements that cannot be sent.
// It does not look into generic functions of the program, whose elements it does not know.
var Analyzer = &analysis.Analyzer{
	Name: "mpielements",
	Doc:  "report elements of messages that are not made of numbers and booleans alone, which package mpi refuses",
	Run:  run,
}

const messages = "musubi/mpi"

func run(pass *analysis.Pass) (any, error) {
	if pass.Pkg.Path() == messages {
		return nil, nil
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				check(pass, name)
			}
			return true
		})
	}
	return nil, nil
}

// check reports a name of package mpi that is used with elements that cannot be sent.
func check(pass *analysis.Pass, name *ast.Ident) {
	used := pass.TypesInfo.Uses[name]
	if used == nil || used.Pkg() == nil || used.Pkg().Path() != messages {
		return
	}
	instance, ok := pass.TypesInfo.Instances[name]
	if !ok {
		return
	}
	for t := range instance.TypeArgs.Types() {
		if why := refused(t); why != "" {
			pass.Reportf(name.Pos(), "mpi.%s with elements of type %s: %s; expected numbers, booleans, or arrays and structs of them",
				name.Name, types.TypeString(t, types.RelativeTo(pass.Pkg)), why)
			return
		}
	}
}

// refused returns why elements of a type cannot be sent, nothing if they can, or if the type is not known.
func refused(t types.Type) string {
	if why := holds(t); why != "" {
		return why
	}
	if isEmpty(t) {
		return "they have no bytes"
	}
	return ""
}

// holds returns what a type holds that is neither a number nor a boolean.
func holds(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsBoolean|types.IsNumeric) == 0 || u.Kind() == types.Uintptr {
			return fmt.Sprintf("%v is no number", u)
		}
	case *types.Array:
		return holds(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if why := holds(field.Type()); why != "" {
				return fmt.Sprintf("field %s: %s", field.Name(), why)
			}
		}
	case *types.Interface:
		if _, unknown := types.Unalias(t).(*types.TypeParam); !unknown {
			return "an interface is a pointer"
		}
	case *types.Slice:
		return "a slice is a pointer"
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return fmt.Sprintf("%v is a pointer", u)
	}
	return ""
}

// isEmpty reports whether elements of a type have no bytes.
func isEmpty(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || isEmpty(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if !isEmpty(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
