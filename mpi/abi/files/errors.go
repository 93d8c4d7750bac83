package files

import (
	"errors"
	"syscall"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
)

// classes are the error classes for those of system calls.
var classes = []struct {
	is    syscall.Errno
	class int
}{
	{syscall.ENOENT, standard.ErrNoSuchFile},
	{syscall.EEXIST, standard.ErrFileExists},
	{syscall.EACCES, standard.ErrAccess},
	{syscall.EPERM, standard.ErrAccess},
	{syscall.EROFS, standard.ErrReadOnly},
	{syscall.ENOSPC, standard.ErrNoSpace},
	{syscall.EFBIG, standard.ErrNoSpace},
	{syscall.EDQUOT, standard.ErrQuota},
	{syscall.ENAMETOOLONG, standard.ErrBadFile},
	{syscall.ENOTDIR, standard.ErrBadFile},
	{syscall.EISDIR, standard.ErrBadFile},
	{syscall.ELOOP, standard.ErrBadFile},
	{syscall.EINVAL, standard.ErrIo},
	{syscall.EBUSY, standard.ErrFileInUse},
	{syscall.ETXTBSY, standard.ErrFileInUse},
	{syscall.ENOSYS, standard.ErrUnsupportedOperation},
	{syscall.EOPNOTSUPP, standard.ErrUnsupportedOperation},
}

// failed returns the error of a system call, which names the file, with its class.
func failed(err error) error {
	if err == nil {
		return nil
	}
	for _, c := range classes {
		if errors.Is(err, c.is) {
			return abi.Wrong(c.class, "%v", err)
		}
	}
	return abi.Wrong(standard.ErrIo, "%v", err)
}

// fact is something that all ranks have to give alike.
type fact struct {
	name  string
	value int
}

// agree waits for all ranks of a communicator. It returns the error of this rank, or else that of the first that has one, or else
// that ranks have not given the same.
func agree(c *abi.Call, among *collective.Comm, err error, facts ...fact) error {
	mine := []int{abi.CodeOf(err)}
	for _, f := range facts {
		mine = append(mine, f.value)
	}
	all := make([]int, len(mine)*among.Size())
	if failure := collective.AllGather(among, c.Function.Name, mine, all); failure != nil {
		return failure
	}
	if err != nil {
		return err
	}
	for rank := range among.Size() {
		of := all[rank*len(mine):][:len(mine)]
		if of[0] != standard.Success {
			return abi.Wrong(of[0], "at rank %d: %s", rank, standard.ErrorTexts[of[0]])
		}
		for i, f := range facts {
			if of[1+i] != f.value {
				return abi.Wrong(standard.ErrNotSame, "%s %d at this rank and %d at rank %d; expected the same at all", f.name, f.value, of[1+i], rank)
			}
		}
	}
	return nil
}
