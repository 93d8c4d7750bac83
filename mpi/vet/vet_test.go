package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// library stands for package mpi.
const library = `package mpi
type Comm struct{}
type Window[T any] struct{}
type Op[T any] struct{}
type Number interface{ ~int | ~float64 }
func Send[T any](c *Comm, to, tag int, data []T) error { return nil }
func SendReceive[T, U any](c *Comm, data []T, into []U) error { return nil }
func AllReduce[T any](c *Comm, in, out []T, op Op[T]) error { return nil }
func Sum[T Number]() Op[T] { return Op[T]{} }
func NewWindow[T any](c *Comm, memory []T) (*Window[T], error) { return nil, nil }
func Barrier(c *Comm) error { return nil }
`

// program has a comment "want" on each line that is to be reported.
const program = `package main
import "musubi/mpi"
type point struct{ X, Y float64; Colour [3]uint8; On bool }
type named struct{ At point; Name string }
type celsius float64
type empty struct{ _ [0]int }
type alias = []*int
func main() {
	var c *mpi.Comm
	mpi.Barrier(c)
	mpi.Send(c, 0, 0, []float64{1})
	mpi.Send(c, 0, 0, []point{{}})
	mpi.Send(c, 0, 0, []celsius{1})
	mpi.Send(c, 0, 0, []complex64{1})
	mpi.Send(c, 0, 0, []string{""})              // want Send .* string is no number
	mpi.Send(c, 0, 0, []named{{}})               // want Send .*type named: field Name: string is no number
	mpi.Send(c, 0, 0, alias{nil})                // want Send .*type \*int: \*int is a pointer
	mpi.Send(c, 0, 0, [][]int{{1}})              // want Send .*a slice is a pointer
	mpi.Send(c, 0, 0, []any{1})                  // want Send .*an interface is a pointer
	mpi.Send(c, 0, 0, []uintptr{1})              // want Send .*uintptr is no number
	mpi.Send(c, 0, 0, []empty{{}})               // want Send .*they have no bytes
	mpi.Send(c, 0, 0, [][2]map[int]int{{}})      // want Send .*map\[int\]int is a pointer
	mpi.SendReceive(c, []int{1}, []func(){nil})  // want SendReceive .*func\(\) is a pointer
	mpi.AllReduce(c, []int{1}, []int{0}, mpi.Sum[int]())
	mpi.AllReduce(c, []string{""}, nil, mpi.Op[string]{}) // want AllReduce .* string is no number // want Op .* string is no number
	mpi.NewWindow(c, []chan int{nil})            // want NewWindow .*chan int is a pointer
	generic(c, []string{""})
}
func generic[T any](c *mpi.Comm, data []T) { mpi.Send(c, 0, 0, data) }
type holder struct{ w *mpi.Window[[]int] }   // want Window .*a slice is a pointer
`

type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// load checks the types of a package that is one file.
func load(t *testing.T, path, text string, known importer) *analysis.Pass {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path+".go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{}}
	config := types.Config{Importer: known}
	p, err := config.Check(path, files, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &analysis.Pass{Analyzer: Analyzer, Fset: files, Files: []*ast.File{f}, Pkg: p, TypesInfo: info}
}

func TestElementsThatCannotBeSentAreReported(t *testing.T) {
	mpi := load(t, messages, library, nil)
	pass := load(t, "main", program, importer{messages: mpi.Pkg})
	got := map[int][]string{}
	pass.Report = func(d analysis.Diagnostic) {
		line := pass.Fset.Position(d.Pos).Line
		got[line] = append(got[line], d.Message)
	}
	if _, err := Analyzer.Run(pass); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(program, "\n") {
		reports := got[i+1]
		wanted := strings.Split(line, "// want ")[1:]
		if len(reports) != len(wanted) {
			t.Errorf("line %d, %s: reports %q; expected %d", i+1, line, reports, len(wanted))
			continue
		}
		for n, want := range wanted {
			if !regexp.MustCompile(strings.TrimSpace(want)).MatchString(reports[n]) {
				t.Errorf("line %d: report %q; expected %s", i+1, reports[n], want)
			}
		}
	}
}

func TestTheAnalyzerIsValid(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Error(err)
	}
}
