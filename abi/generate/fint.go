package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The standard has conversions between the handles and statuses of C and of Fortran, but its ABI leaves them
// out, as it does not know how long an INTEGER is. So they are not in the library: mpi.h makes them of functions
// that the ABI has.

// fortranConversions writes the conversions, and what they convert.
func fortranConversions(b *bytes.Buffer) {
	b.WriteString("\n/* Handles and statuses as Fortran has them, with INTEGER of four bytes. */\n")
	b.WriteString("typedef int MPI_Fint;\ntypedef MPI_Status MPI_F08_status;\n#define MPI_F_STATUS_SIZE 8\n")
	for i, name := range []string{"SOURCE", "TAG", "ERROR"} {
		fmt.Fprintf(b, "#define MPI_F_%s %d\n", name, i)
	}
	for _, kind := range opaque {
		if strings.HasPrefix(kind, "T_") {
			continue
		}
		if kind == "Datatype" {
			kind = "Type"
		}
		fmt.Fprintf(b, "#define MPI_%s_f2c MPI_%s_fromint\n#define MPI_%s_c2f MPI_%s_toint\n", kind, kind, kind, kind)
	}
	for _, c := range []struct{ name, from, to string }{
		{"c2f", "MPI_Status", "MPI_Fint"}, {"f2c", "MPI_Fint", "MPI_Status"}, {"c2f08", "MPI_Status", "MPI_F08_status"},
		{"f082c", "MPI_F08_status", "MPI_Status"}, {"f082f", "MPI_F08_status", "MPI_Fint"}, {"f2f08", "MPI_Fint", "MPI_F08_status"},
	} {
		fmt.Fprintf(b, "static inline int MPI_Status_%s(const %s *from, %s *to)\n{\n    memcpy(to, from, sizeof(MPI_Status));\n    return MPI_SUCCESS;\n}\n", c.name, c.from, c.to)
	}
}
