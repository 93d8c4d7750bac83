package main

import (
	"fmt"
	"strings"
)

// procedures are the interfaces of mpi_f08 by which programs declare the procedures that they hand over: their names, and their
// arguments by type (MPI 5.0, appendix A.4.14).
var procedures = concat(
	[]procedure{{"MPI_User_function", []string{"type(c_ptr), value: invec, inoutvec", "integer: len", "type(MPI_Datatype): datatype"}}},
	[]procedure{{"MPI_User_function_c", []string{"type(c_ptr), value: invec, inoutvec", "integer(MPI_COUNT_KIND): len", "type(MPI_Datatype): datatype"}}},
	attributeCallbacks("Comm", "comm"), attributeCallbacks("Win", "win"), attributeCallbacks("Type", "datatype"),
	[]procedure{
		{"MPI_Grequest_query_function", []string{address + ": extra_state", "type(MPI_Status): status", "integer: ierror"}},
		{"MPI_Grequest_free_function", []string{address + ": extra_state", "integer: ierror"}},
		{"MPI_Grequest_cancel_function", []string{address + ": extra_state", "logical: complete", "integer: ierror"}},
	},
	errorCallback("Comm"), errorCallback("Win"), errorCallback("File"), errorCallback("Session"),
)

type procedure struct {
	name      string
	arguments []string // "type: name, name"
}

const address = "integer(MPI_ADDRESS_KIND)"

func concat(lists ...[]procedure) (all []procedure) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// attributeCallbacks are those of the attributes of a kind of objects.
func attributeCallbacks(kind, name string) []procedure {
	of := "type(MPI_" + kind + "): "
	if kind == "Type" {
		of = "type(MPI_Datatype): "
	}
	keyval := "integer: " + name + "_keyval"
	if kind == "Type" {
		keyval = "integer: type_keyval"
	}
	return []procedure{
		{"MPI_" + kind + "_copy_attr_function", []string{of + "old" + name, keyval, address + ": extra_state, attribute_val_in, attribute_val_out", "logical: flag", "integer: ierror"}},
		{"MPI_" + kind + "_delete_attr_function", []string{of + name, keyval, address + ": attribute_val, extra_state", "integer: ierror"}},
	}
}

// errorCallback is that of the errors of a kind of objects.
func errorCallback(kind string) []procedure {
	return []procedure{{"MPI_" + kind + "_errhandler_function", []string{"type(MPI_" + kind + "): " + strings.ToLower(kind), "integer: error_code"}}}
}

// callbackInterfaces writes them.
func (m *module) callbackInterfaces() {
	m.b.WriteString("  abstract interface\n")
	for _, c := range procedures {
		var names []string
		for _, a := range c.arguments {
			_, list, _ := strings.Cut(a, ": ")
			names = append(names, list)
		}
		fmt.Fprintf(&m.b, "    subroutine %s(%s)\n      use, intrinsic :: iso_c_binding, only: c_ptr\n      import\n", c.name, strings.Join(names, ", "))
		for _, a := range c.arguments {
			kind, list, _ := strings.Cut(a, ": ")
			fmt.Fprintf(&m.b, "      %s :: %s\n", kind, list)
		}
		m.b.WriteString("    end subroutine\n")
	}
	m.b.WriteString("  end interface\n")
}
