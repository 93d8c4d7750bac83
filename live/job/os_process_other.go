//go:build !linux || !(amd64 || arm64)

package job

import (
	"errors"
	"net"
	"os"
	"syscall"
)

var errNoProcesses = errors.New("live: not supported on this system; expected Linux on amd64 or arm64")

func mayOpen() (uint64, bool)    { return 0, false }
func mayStart() (uint64, bool)   { return 0, false }
func processors() ([]int, error) { return nil, errNoProcesses }
func bindThread(int) error       { return errNoProcesses }

func userOf(*net.UnixConn) (int, error) { return -1, errNoProcesses }

func signalGroup(int, syscall.Signal) error { return errNoProcesses }
func notifyOfQuestions(chan<- os.Signal)    {}

func childAttributes() *syscall.SysProcAttr { return nil }
