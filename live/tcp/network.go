package tcp

import (
	"net"
	"strings"
	"syscall"
)

// AnyUnix lets a rank listen at a Unix-domain socket with an abstract name that the system chooses
// (unix(7), autobind), and so leaves no file behind. Such names begin with @.
const AnyUnix = ""

// networkOf returns the network of an address, as package net calls it.
func networkOf(address string) string {
	if address == AnyUnix || strings.HasPrefix(address, "@") {
		return "unix"
	}
	return "tcp"
}

// systemConn is a connection of the system: a TCP or a Unix-domain one.
type systemConn interface {
	net.Conn
	syscall.Conn
}
