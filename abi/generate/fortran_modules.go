package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// The modules have interfaces of the same subroutines that programs with mpif.h call. In mpi_f08
// handles and statuses are types of their own, which lie in memory as the numbers do, and ierror may
// be left out.

// truths are the parameters that are LOGICAL.
var truths = []string{"flag", "reorder", "periods", "remain_dims", "commute", "high", "is_set", "quorum", "weighted"}

// module is one of the two modules.
type module struct {
	b    bytes.Buffer
	is08 bool
}

func fortranModule(functions []prototype, constants []fortranConstant, is08 bool) []byte {
	m := &module{is08: is08}
	name := "mpi"
	if is08 {
		name = "mpi_f08"
	}
	fmt.Fprintf(&m.b, "! %s\nmodule %s\n  use, intrinsic :: iso_c_binding, only: c_int64_t\n  implicit none\n", notice, name)
	if is08 {
		m.types(constants)
	} else {
		m.b.Write(mpifHeader(constants, true))
	}
	if is08 {
		m.callbackInterfaces()
	}
	m.interfaces(functions)
	m.functions()
	if is08 {
		m.statusConversions()
		m.comparisons()
	}
	fmt.Fprintf(&m.b, "end module %s\n", name)
	return m.b.Bytes()
}

// handleTypes are the types of handles in Fortran.
var handleTypes = []string{"MPI_Op", "MPI_Comm", "MPI_Group", "MPI_Win", "MPI_File", "MPI_Session", "MPI_Message", "MPI_Info", "MPI_Errhandler", "MPI_Request", "MPI_Datatype"}

// types writes the types, constants and variables of mpi_f08.
func (m *module) types(constants []fortranConstant) {
	b := &m.b
	for _, t := range handleTypes {
		fmt.Fprintf(b, "  type, bind(C) :: %s\n    integer :: MPI_VAL\n  end type\n", t)
	}
	b.WriteString("  type, bind(C) :: MPI_Status\n    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal(5)\n  end type\n")
	for _, c := range constants {
		switch {
		case c.handle != "":
			fmt.Fprintf(b, "  type(%s), parameter :: %s = %s(%d)\n", c.handle, c.name, c.handle, c.value)
		default:
			fmt.Fprintf(b, "  integer, parameter :: %s = %d\n", c.name, c.value)
		}
	}
	b.WriteString("  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false., MPI_ASYNC_PROTECTS_NONBLOCKING = .false.\n")
	b.WriteString("  integer(MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1\n")
	for _, s := range sentinels {
		declaration := "  " + strings.Replace(s.declaration, " ", " :: ", 1)
		switch s.name {
		case "MPI_STATUS_IGNORE":
			declaration = "  type(MPI_Status) :: MPI_STATUS_IGNORE"
		case "MPI_STATUSES_IGNORE":
			declaration = "  type(MPI_Status) :: MPI_STATUSES_IGNORE(1)"
		}
		fmt.Fprintf(b, "%s\n  common /%s/ %s\n  save /%s/\n", declaration, s.block, s.name, s.block)
	}
	for _, name := range predefinedCallbacks {
		fmt.Fprintf(b, "  external %s\n", name)
	}
}

// interfaces writes those of all subroutines, by both names. In mpi_f08 the forms for large counts have the same
// generic names.
func (m *module) interfaces(functions []prototype) {
	large := map[string]*prototype{}
	for i := range functions {
		if plain, is := strings.CutSuffix(functions[i].name, "_c"); is {
			large[plain] = &functions[i]
		}
	}
	for i := range functions {
		f := &functions[i]
		if notInFortran(f) || f.result != "int" || strings.HasSuffix(f.name, "_c") || m.isUnsafe(f) {
			continue
		}
		for _, prefix := range []string{"", "P"} {
			fmt.Fprintf(&m.b, "  interface %s%s\n", prefix, f.name)
			m.subroutine(prefix, f)
			if c := large[f.name]; c != nil && m.is08 && differs(f, c) {
				m.subroutine(prefix, c)
			}
			fmt.Fprintf(&m.b, "  end interface\n")
		}
	}
}

// isUnsafe reports whether programs call a subroutine with arguments of several ranks or types, so that
// module mpi leaves it without an interface, as others do.
func (m *module) isUnsafe(f *prototype) bool {
	return strings.HasSuffix(f.name, "ttr_get") || strings.HasSuffix(f.name, "ttr_put") || f.name == "MPI_Keyval_create"
}

// hasSections reports whether a subroutine takes sections of arrays as they are.
func (m *module) hasSections(f *prototype) bool {
	_, takes := takesSections[strings.TrimSuffix(f.name, "_c")]
	return m.is08 && takes
}

// differs reports whether the two forms can be told apart by their arguments, as generic names need it.
func differs(f, c *prototype) bool {
	for i := range min(len(f.parameters), len(c.parameters)) {
		p, q := &f.parameters[i], &c.parameters[i]
		if p.class() != callback && strings.ReplaceAll(p.kind, "MPI_Aint", "MPI_Count") != strings.ReplaceAll(q.kind, "MPI_Aint", "MPI_Count") {
			return true
		}
	}
	return false
}

func (m *module) subroutine(prefix string, f *prototype) {
	var names, declarations []string
	for i := range f.parameters {
		p := &f.parameters[i]
		if p.class() == absent {
			continue
		}
		names = append(names, p.name)
		declarations = append(declarations, m.declare(f, p))
	}
	optional := ""
	if m.is08 {
		optional = ", optional"
	}
	names = append(names, "ierror")
	name := prefix + f.name
	if m.hasSections(f) {
		name += ofSections
	}
	fmt.Fprintf(&m.b, "    subroutine %s(%s)\n      import\n", name, strings.Join(names, ", &\n        "))
	for _, d := range declarations {
		fmt.Fprintf(&m.b, "      %s\n", d)
	}
	fmt.Fprintf(&m.b, "      integer%s, intent(out) :: ierror\n    end subroutine\n", optional)
}

// declare returns the declaration of a parameter.
func (m *module) declare(f *prototype, p *parameter) string {
	n := p.name
	array := ""
	if isFortranArray(f, p) {
		array = "(*)"
	}
	kind := strings.TrimSpace(strings.TrimRight(strings.TrimPrefix(p.kind, "const "), "* "))
	switch p.class() {
	case buffer:
		if strings.HasPrefix(n, "attribute_val") || n == "extra_state" {
			return "integer(MPI_ADDRESS_KIND) :: " + n
		}
		if m.hasSections(f) {
			return "type(*), dimension(..) :: " + n
		}
		return "type(*), dimension(*) :: " + n + "\n      !GCC$ ATTRIBUTES NO_ARG_CHECK :: " + n
	case textIn:
		return "character(len=*), intent(in) :: " + n
	case textOut:
		return "character(len=*) :: " + n
	case callback:
		return "external :: " + n
	case status:
		if m.is08 {
			return "type(MPI_Status) :: " + n + array
		}
		if array != "" {
			return "integer :: " + n + "(8,*)"
		}
		return "integer :: " + n + "(8)"
	case handle, result, handles:
		if m.is08 {
			return "type(" + kind + ") :: " + n + array
		}
		return "integer :: " + n + array
	}
	if strings.Contains(f.text, n+"[][3]") {
		array = "(3,*)"
	}
	if slices.Contains(truths, n) || n == "flag" {
		return "logical :: " + n + array
	}
	switch kind {
	case "MPI_Aint", "MPI_Count", "MPI_Offset":
		return "integer(c_int64_t) :: " + n + array
	}
	return "integer :: " + n + array
}

// isFortranArray reports whether a parameter is an array.
func isFortranArray(f *prototype, p *parameter) bool {
	return strings.Contains(f.text, " "+p.name+"[") || strings.HasPrefix(p.name, "array_of")
}

// functions writes the interfaces of what returns a number.
func (m *module) functions() {
	for _, name := range []string{"MPI_Wtime", "MPI_Wtick", "PMPI_Wtime", "PMPI_Wtick"} {
		fmt.Fprintf(&m.b, "  interface\n    double precision function %s()\n    end function\n  end interface\n", name)
	}
	for _, name := range []string{"MPI_Aint_add", "MPI_Aint_diff"} {
		fmt.Fprintf(&m.b, "  interface\n    integer(c_int64_t) function %s(a, b)\n      import\n      integer(c_int64_t) :: a, b\n    end function\n  end interface\n", name)
	}
}

// statusConversions writes the interfaces of what converts statuses to those of mpif.h and back.
func (m *module) statusConversions() {
	for _, name := range []string{"MPI_Status_f082f(f08_status, f_status, ierror)", "MPI_Status_f2f08(f_status, f08_status, ierror)"} {
		fmt.Fprintf(&m.b, "  interface\n    subroutine %s\n      import\n      type(MPI_Status) :: f08_status\n      integer :: f_status(8)\n      integer, optional, intent(out) :: ierror\n    end subroutine\n  end interface\n", name)
	}
}

// comparisons writes the operators on handles.
func (m *module) comparisons() {
	b := &m.b
	for _, o := range []struct{ name, operator string }{{"same", "=="}, {"other", "/="}} {
		fmt.Fprintf(b, "  interface operator(%s)\n", o.operator)
		for _, t := range handleTypes {
			fmt.Fprintf(b, "    module procedure %s_%s\n", o.name, t)
		}
		b.WriteString("  end interface\n")
	}
	b.WriteString("contains\n")
	for _, o := range []struct{ name, operator string }{{"same", "=="}, {"other", "/="}} {
		for _, t := range handleTypes {
			fmt.Fprintf(b, "  elemental logical function %s_%s(a, b)\n    type(%s), intent(in) :: a, b\n    %s_%s = a%%MPI_VAL %s b%%MPI_VAL\n  end function\n", o.name, t, t, o.name, t, o.operator)
		}
	}
}
