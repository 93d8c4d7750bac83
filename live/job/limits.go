package job

import (
	"errors"
	"fmt"
	"syscall"
)

// What the launcher and agents need to start ranks on a host, somewhat more than was counted with 2 to 12 of
// them.
const (
	filesPerRank   = 6
	filesBeside    = 20
	threadsPerRank = 10
)

// explainLimit says of an error that comes from a limit of the system which one that is, and what the
// ranks of this host need.
func (s groupSpec) explainLimit(err error) error {
	n := max(s.OnHost, len(s.Ranks))
	switch {
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("%w: this process may have %s (ulimit -n); %d ranks on a host need about %d", err, limitText(mayOpen, "open files"), n, filesPerRank*n+filesBeside)
	case errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w: all processes of this computer together (/proc/sys/fs/file-max)", err)
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("%w: this user may have %s (ulimit -u, or a limit of the control group); %d ranks on a host need about %d more", err, limitText(mayStart, "processes and threads"), n, threadsPerRank*n)
	case errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("%w: see ulimit -v, and the limits of the control group", err)
	}
	return err
}

// limitText says how many of something a limit allows.
func limitText(limit func() (uint64, bool), of string) string {
	n, known := limit()
	if !known {
		return "no more " + of
	}
	return fmt.Sprintf("%d %s", n, of)
}
