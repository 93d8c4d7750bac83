package abi

// session is a session of the program.
type session struct{ handled }
