//go:build !linux || !(amd64 || arm64)

package tcp

import (
	"errors"
	"net"
	"time"
)

var errNoSockets = errors.New("live: not supported on this system; expected Linux on amd64 or arm64")

func duplicate(systemConn, time.Duration) (int, error) { return 0, errNoSockets }
func SendAgainSoonOn(*net.TCPConn)                     {}
func HasUnread(*net.TCPConn) bool                      { return false }
func isUnanswered(int) bool                            { return false }

func hangUp(int) {}

func closeSocket(int)                                  {}
func readSocket(int, []byte) (int, error)              { return 0, errNoSockets }
func readSocketInto(int, []byte, []byte) (int, error)  { return 0, errNoSockets }
func writeSocket(int, []byte) (int, error)             { return 0, errNoSockets }
func writeSocketFrom(int, []byte, []byte) (int, error) { return 0, errNoSockets }

type readySet struct{}

func newReadySet() (*readySet, error)        { return nil, errNoSockets }
func (*readySet) add(*Stream, int) error     { return errNoSockets }
func (*readySet) addOnce(*Stream, int) error { return errNoSockets }
func (*readySet) next() (int, bool)          { return 0, false }
func (*readySet) Look([]*Stream)             {}
func (*readySet) await(*Stream, int)         {}
func (*readySet) wait()                      {}
func (*readySet) interrupt()                 {}
func (*readySet) close()                     {}
