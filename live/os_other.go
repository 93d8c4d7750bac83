//go:build !linux || !(amd64 || arm64)

package live

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

var errUnsupported = errors.New("live: not supported on this system; expected Linux on amd64 or arm64")

func newMemory(int) (*os.File, []byte, error) { return nil, nil, errUnsupported }
func mapMemory(*os.File) ([]byte, error)      { return nil, errUnsupported }
func unmapMemory([]byte)                      {}
func memoryLimit() int                        { return 0 }
func dropPages(memory []byte)                 { clear(memory) }

func futexWait(*atomic.Uint32) {}
func futexWake(*atomic.Uint32) {}
func yield()                   {}
func allowAccess()             {}

func readFar(int, []byte, uint64) error  { return errUnsupported }
func writeFar(int, []byte, uint64) error { return errUnsupported }

func writeFarParts(int, []byte, []byte, uint64) error { return errUnsupported }

func processors() ([]int, error) { return nil, errUnsupported }
func bindThread(int) error       { return errUnsupported }

func userOf(*net.UnixConn) (int, error) { return -1, errUnsupported }

func childAttributes() *syscall.SysProcAttr { return nil }
