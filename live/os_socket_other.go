//go:build !linux || !(amd64 || arm64)

package live

import (
	"net"
	"time"
)

func duplicate(*net.TCPConn, time.Duration) (int, error) { return 0, errUnsupported }
func sendAgainSoonOn(*net.TCPConn)                       {}
func isUnanswered(int) bool                              { return false }

func hangUp(int) {}

func closeSocket(int)                                  {}
func readSocket(int, []byte) (int, error)              { return 0, errUnsupported }
func readSocketInto(int, []byte, []byte) (int, error)  { return 0, errUnsupported }
func writeSocket(int, []byte) (int, error)             { return 0, errUnsupported }
func writeSocketFrom(int, []byte, []byte) (int, error) { return 0, errUnsupported }

type readySet struct{}

func newReadySet() (*readySet, error)    { return nil, errUnsupported }
func (*readySet) add(*stream, int) error { return errUnsupported }
func (*readySet) look([]*stream)         {}
func (*readySet) await(*stream, int)     {}
func (*readySet) wait()                  {}
func (*readySet) interrupt()             {}
func (*readySet) close()                 {}
