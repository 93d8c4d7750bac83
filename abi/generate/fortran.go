package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The Fortran interfaces are thin: a subroutine of Fortran is a function of C whose arguments are
// addresses. Handles are the same numbers in both languages, statuses the same eight integers, and
// truth values of gfortran are those of C.

// notInFortran are the functions that the standard has for C alone, or that Musubi refuses.
func notInFortran(f *prototype) bool {
	for _, part := range []string{"MPI_T_", "MPI_Comm_spawn", "MPI_Abi_", "MPI_Register_datarep", "c2f", "f2c", "f082", "2f08", "toint", "fromint", "MPI_Address"} {
		if strings.Contains(f.name, part) {
			return true
		}
	}
	return f.result != "int" && f.result != "double" && f.result != "MPI_Aint"
}

// byHand are those in fortran/by_hand.c and attributes.c: with indices, callbacks, values of attributes or lengths of text.
var byHand = map[string]bool{
	"MPI_Waitany": true, "MPI_Testany": true, "MPI_Waitsome": true, "MPI_Testsome": true, "MPI_Request_get_status_any": true, "MPI_Request_get_status_some": true,
	"MPI_Comm_create_keyval": true, "MPI_Type_create_keyval": true, "MPI_Win_create_keyval": true, "MPI_Keyval_create": true,
	"MPI_Comm_get_attr": true, "MPI_Type_get_attr": true, "MPI_Win_get_attr": true, "MPI_Attr_get": true,
	"MPI_Comm_set_attr": true, "MPI_Type_set_attr": true, "MPI_Win_set_attr": true, "MPI_Attr_put": true, "MPI_Grequest_start": true,
	"MPI_Aint_add": true, "MPI_Aint_diff": true, "MPI_Wtime": true, "MPI_Wtick": true, "MPI_Info_get_string": true,
}

// takesSections are those that take sections of arrays as mpi_f08 describes them, and use the array itself; true: also when they
// have returned. Each buffer comes before its count and its datatype.
var takesSections = map[string]bool{
	"MPI_Isend": true, "MPI_Ibsend": true, "MPI_Issend": true, "MPI_Irsend": true, "MPI_Irecv": true, "MPI_Imrecv": true, "MPI_Isendrecv": true, "MPI_Isendrecv_replace": true,
	"MPI_Send_init": true, "MPI_Bsend_init": true, "MPI_Ssend_init": true, "MPI_Rsend_init": true, "MPI_Recv_init": true,
	"MPI_Ibcast": true, "MPI_Bcast_init": true, "MPI_Put": true, "MPI_Get": true, "MPI_Rput": true, "MPI_Rget": true,
	"MPI_Send": false, "MPI_Bsend": false, "MPI_Ssend": false, "MPI_Rsend": false, "MPI_Recv": false, "MPI_Mrecv": false, "MPI_Sendrecv": false, "MPI_Sendrecv_replace": false, "MPI_Bcast": false,
}

// useOf returns what a function does with a section.
func useOf(f *prototype, p *parameter) string {
	switch {
	case takesSections[strings.TrimSuffix(f.name, "_c")]:
		return "MUSUBI_GOES_ON"
	case strings.HasPrefix(p.kind, "const"):
		return "MUSUBI_READS"
	}
	return "MUSUBI_WRITES"
}

// ofSections is what the names of these end with.
const ofSections = "_f08ts"

// class is what a parameter is to Fortran.
type class int

const (
	value    class = iota // int and the like by value
	plain                 // address of numbers
	buffer                // address of anything
	handle                // by value
	result                // address of a handle
	handles               // array of handles
	status                // or statuses
	textIn                // characters
	textOut               // room for characters
	callback              // procedure
	absent                // not in Fortran
	weights               // or MPI_UNWEIGHTED
)

func (p *parameter) isHandle() bool {
	name := strings.TrimPrefix(strings.TrimRight(strings.TrimPrefix(p.kind, "const "), "* "), "MPI_")
	return slices.Contains(opaque, name)
}

func (p *parameter) isArray() bool {
	return strings.HasPrefix(p.name, "array_of") || p.name == "sendtypes" || p.name == "recvtypes"
}

func (p *parameter) class() class {
	kind := strings.TrimSpace(p.kind)
	pointer := strings.HasSuffix(kind, "*")
	switch {
	case strings.HasSuffix(kind, "_function *"), strings.HasSuffix(kind, "_function_c *"):
		return callback
	case kind == "char ***" || p.name == "argc" || p.name == "argv":
		return absent
	case p.name == "sourceweights" || p.name == "destweights" || p.name == "weights":
		return weights
	case strings.Contains(kind, "char"):
		if strings.HasPrefix(kind, "const") {
			return textIn
		}
		return textOut
	case strings.Contains(kind, "void"):
		return buffer
	case strings.Contains(kind, "MPI_Status"):
		return status
	case p.isHandle() && !pointer:
		return handle
	case p.isHandle() && p.isArray():
		return handles
	case p.isHandle():
		return result
	case pointer:
		return plain
	}
	return value
}

// lengthOf returns how many handles an array has, as an expression of C.
func lengthOf(f *prototype, p *parameter) string {
	switch {
	case p.name == "sendtypes":
		return fmt.Sprintf("musubi_peers(*comm, %d, 0)", neighbours(f))
	case p.name == "recvtypes":
		return fmt.Sprintf("musubi_peers(*comm, %d, 1)", neighbours(f))
	}
	for _, name := range []string{"max_datatypes", "incount", "count"} {
		for i := range f.parameters {
			if f.parameters[i].name == name {
				return "*" + name
			}
		}
	}
	return "0"
}

func neighbours(f *prototype) int {
	if strings.Contains(strings.ToLower(f.name), "neighbor") {
		return 1
	}
	return 0
}

// fortranCalls returns the functions of C that Fortran calls.
func fortranCalls(functions []prototype) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "/* %s */\n#include \"fortran.h\"\n", notice)
	for i := range functions {
		f := &functions[i]
		plain := strings.TrimSuffix(f.name, "_c")
		if !notInFortran(f) && !byHand[plain] {
			fortranCall(&b, f, false)
		}
		if _, takes := takesSections[plain]; takes {
			fortranCall(&b, f, true)
		}
	}
	return b.Bytes()
}

// fortranCall writes one of them: what comes before the call, the call, and what comes behind it. Buffers are addresses, or
// sections.
func fortranCall(b *bytes.Buffer, f *prototype, sections bool) {
	var parameters, lengths, before, arguments, after []string
	for i := range f.parameters {
		p := &f.parameters[i]
		scalar := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(p.kind), "const "), "*"))
		n, argument := p.name, p.name
		declaration := scalar + " *" + n
		switch p.class() {
		case absent:
			arguments = append(arguments, "0")
			continue
		case value:
			argument = "*" + n
		case plain:
			if strings.Contains(f.text, n+"[][3]") {
				argument = "(int (*)[3])" + n
			}
		case callback:
			declaration = strings.TrimSpace(p.kind) + n
		case buffer:
			declaration, argument = "void *"+n, "musubi_buffer("+n+")"
			if sections {
				declaration, argument = "const struct musubi_section *"+n, n+"_.address"
				before = append(before, fmt.Sprintf("struct musubi_message %s_ = musubi_message(%s, *%s, *%s, %s);", n, n, f.parameters[i+1].name, f.parameters[i+2].name, useOf(f, p)))
				after = append(after, fmt.Sprintf("musubi_forget(&%s_);", n))
			}
		case weights:
			argument = "musubi_weights(" + n + ")"
		case status:
			argument = "musubi_status(" + n + ")"
		case handle:
			declaration, argument = "MPI_Fint *"+n, fmt.Sprintf("(%s)(intptr_t)*%s", scalar, n)
		case result:
			declaration, argument = "MPI_Fint *"+n, "&"+n+"_"
			before = append(before, fmt.Sprintf("%s %s_ = (%s)(intptr_t)*%s;", scalar, n, scalar, n))
			after = append(after, fmt.Sprintf("*%s = (MPI_Fint)(intptr_t)%s_;", n, n))
		case handles:
			declaration, argument = "MPI_Fint *"+n, "(void *)"+n+"_"
			before = append(before, fmt.Sprintf("int64_t *%s_ = musubi_widen(%s, %s);", n, n, lengthOf(f, p)))
			if strings.HasPrefix(p.kind, "const") {
				after = append(after, fmt.Sprintf("free(%s_);", n))
			} else {
				after = append(after, fmt.Sprintf("musubi_narrow(%s, %s_, %s);", n, n, lengthOf(f, p)))
			}
		case textIn:
			declaration, argument = "const char *"+n, n+"_"
			lengths = append(lengths, "size_t "+n+"_length")
			before = append(before, fmt.Sprintf("char *%s_ = musubi_text(%s, %s_length);", n, n, n))
			after = append(after, fmt.Sprintf("free(%s_);", n))
		case textOut:
			declaration, argument = "char *"+n, n+"_"
			lengths = append(lengths, "size_t "+n+"_length")
			before = append(before, fmt.Sprintf("char *%s_ = musubi_room(%s_length);", n, n))
			after = append(after, fmt.Sprintf("musubi_pad(%s, %s_, %s_length);", n, n, n))
		}
		if sections && i > 0 && f.parameters[i-1].class() == buffer {
			argument = f.parameters[i-1].name + "_.count"
		} else if sections && i > 1 && f.parameters[i-2].class() == buffer {
			argument = f.parameters[i-2].name + "_.type"
		}
		parameters = append(parameters, declaration)
		arguments = append(arguments, argument)
	}
	symbol := strings.ToLower(f.name) + "_"
	if sections {
		symbol = strings.ToLower(f.name) + ofSections + "_"
	}
	parameters = append(append(parameters, "MPI_Fint *ierror"), lengths...)
	fmt.Fprintf(b, "\n#pragma weak %s = p%s\nvoid p%s(%s)\n{\n", symbol, symbol, symbol, strings.Join(parameters, ", "))
	for _, line := range before {
		fmt.Fprintf(b, "    %s\n", line)
	}
	fmt.Fprintf(b, "    int code = P%s(%s);\n", f.name, strings.Join(arguments, ", "))
	for _, line := range after {
		fmt.Fprintf(b, "    %s\n", line)
	}
	b.WriteString("    if (ierror)\n        *ierror = code;\n}\n")
}

// fortranConstant is an integer constant of Fortran, and the kind of handle that it is; "": a number.
type fortranConstant struct {
	name, handle string
	value        int64
}

// fortranConstants returns those that Fortran has. Lengths of texts are one less than in C, which
// counts a zero at the end.
func fortranConstants(constants []string) (all []fortranConstant) {
	kind, of := "", ""
	known := map[string]fortranConstant{}
	for _, line := range constants {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(line, "\t") {
			kind, of = name, text
			continue
		}
		if name == "MPI_DISPLACEMENT_CURRENT" || strings.HasPrefix(name, "MPI_T_") || strings.HasPrefix(name, "MPIX_") || kind == "pointer" && !strings.HasSuffix(name, "STATUS_SIZE") {
			continue
		}
		c := fortranConstant{name: name}
		if kind == "handle" && of != "MPI_Offset" {
			c.handle = of
		}
		if v, err := strconv.ParseInt(text, 0, 64); err == nil {
			c.value = v
		} else if same, ok := known[text]; ok {
			c.value, c.handle = same.value, same.handle
		} else {
			continue
		}
		if strings.HasPrefix(name, "MPI_MAX_") {
			c.value--
		}
		if c.value != int64(int32(c.value)) {
			continue
		}
		known[name] = c
		all = append(all, c)
	}
	for i, name := range []string{"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"} {
		all = append(all, fortranConstant{name: name, value: int64(i + 1)})
	}
	return append(all, []fortranConstant{
		{"MPI_STATUS_SIZE", "", 8}, {"MPI_ADDRESS_KIND", "", 8}, {"MPI_OFFSET_KIND", "", 8}, {"MPI_COUNT_KIND", "", 8}, {"MPI_INTEGER_KIND", "", 4},
	}...)
}

// sentinels are the variables of Fortran that stand for special addresses: the library knows them by
// where they lie.
var sentinels = []struct{ name, declaration, block string }{
	{"MPI_BOTTOM", "INTEGER MPI_BOTTOM", "mpifbottom"},
	{"MPI_IN_PLACE", "INTEGER MPI_IN_PLACE", "mpifinplace"},
	{"MPI_BUFFER_AUTOMATIC", "INTEGER MPI_BUFFER_AUTOMATIC", "mpifautomatic"},
	{"MPI_STATUS_IGNORE", "INTEGER MPI_STATUS_IGNORE(8)", "mpifstatus"},
	{"MPI_STATUSES_IGNORE", "INTEGER MPI_STATUSES_IGNORE(8,1)", "mpifstatuses"},
	{"MPI_ERRCODES_IGNORE", "INTEGER MPI_ERRCODES_IGNORE(1)", "mpiferrcodes"},
	{"MPI_UNWEIGHTED", "INTEGER MPI_UNWEIGHTED(1)", "mpifunweighted"},
	{"MPI_WEIGHTS_EMPTY", "INTEGER MPI_WEIGHTS_EMPTY(1)", "mpifempty"},
	{"MPI_ARGV_NULL", "CHARACTER*1 MPI_ARGV_NULL(1)", "mpifargv"},
	{"MPI_ARGVS_NULL", "CHARACTER*1 MPI_ARGVS_NULL(1,1)", "mpifargvs"},
}

// predefinedCallbacks are procedures that programs name.
var predefinedCallbacks = []string{"MPI_COMM_NULL_COPY_FN", "MPI_COMM_DUP_FN", "MPI_COMM_NULL_DELETE_FN", "MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_DUP_FN", "MPI_TYPE_NULL_DELETE_FN",
	"MPI_WIN_NULL_COPY_FN", "MPI_WIN_DUP_FN", "MPI_WIN_NULL_DELETE_FN", "MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN"}

// mpifHeader returns mpif.h, in lines that are both of fixed and of free form. The module mpi has
// interfaces of the functions.
func mpifHeader(constants []fortranConstant, module bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "! %s\n! The constants of MPI 5.0 for Fortran, with the values of its standard ABI.\n", notice)
	for _, c := range constants {
		fmt.Fprintf(&b, "      INTEGER %s\n      PARAMETER (%s=%d)\n", c.name, c.name, c.value)
	}
	b.WriteString("      LOGICAL MPI_SUBARRAYS_SUPPORTED\n      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)\n")
	b.WriteString("      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING\n      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)\n")
	b.WriteString("      INTEGER*8 MPI_DISPLACEMENT_CURRENT\n      PARAMETER (MPI_DISPLACEMENT_CURRENT=-1)\n")
	for _, s := range sentinels {
		fmt.Fprintf(&b, "      %s\n      COMMON /%s/ %s\n      SAVE /%s/\n", s.declaration, s.block, s.name, s.block)
	}
	if !module {
		b.WriteString("      DOUBLE PRECISION MPI_WTIME, MPI_WTICK\n      DOUBLE PRECISION PMPI_WTIME, PMPI_WTICK\n      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK\n")
		b.WriteString("      INTEGER*8 MPI_AINT_ADD, MPI_AINT_DIFF\n      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF\n")
	}
	for _, name := range predefinedCallbacks {
		fmt.Fprintf(&b, "      EXTERNAL %s\n", name)
	}
	return b.Bytes()
}
