// Package functions has the functions of the standard that processes carry out: who imports it has all of them.
package functions

import (
	_ "musubi/mpi/abi/attribute"
	_ "musubi/mpi/abi/collectives"
	_ "musubi/mpi/abi/communicators"
	_ "musubi/mpi/abi/datatypes"
	_ "musubi/mpi/abi/environment"
	_ "musubi/mpi/abi/files"
	_ "musubi/mpi/abi/pointtopoint"
	_ "musubi/mpi/abi/windows"
)
