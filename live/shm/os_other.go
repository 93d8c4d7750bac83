//go:build !linux || !(amd64 || arm64)

package shm

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

var errUnsupported = errors.New("live: not supported on this system; expected Linux on amd64 or arm64")

func NewMemory(int) (*os.File, []byte, error) { return nil, nil, errUnsupported }
func MapMemory(*os.File) ([]byte, error)      { return nil, errUnsupported }
func PrivateMemory(int) []byte                { return nil }
func UnmapMemory([]byte)                      {}
func memoryLimit() int                        { return 0 }
func dropPages(memory []byte)                 { clear(memory) }

func FutexWait(*atomic.Uint32, uint32) {}

func FutexWaitFor(*atomic.Uint32, uint32, time.Duration) {}

func FutexWake(*atomic.Uint32) {}
func Yield()                   {}
func MoveTo(int)               {}
func AllowAccess(int)          {}

func ProcessTime(int) (time.Duration, error) { return 0, errUnsupported }

func ReadFar(int, []byte, uint64) error  { return errUnsupported }
func WriteFar(int, []byte, uint64) error { return errUnsupported }

func WriteFarParts(int, []byte, []byte, uint64) error { return errUnsupported }
