// Package register is the registers of a network interface that processes and the operating
// system read and write, with the rights that this takes.
package register

import (
	"fmt"
	"strings"
)

// Register names a register of a card, one set of them for each process.
type Register uint8

// Registers.
const (
	Busy    Register = iota // a bit for each Write Window that has not been read out
	Group                   // process group, PGID
	Process                 // process id
	registers
)

var registerNames = [...]string{Busy: "busy", Group: "group", Process: "process"}

// String returns the name of the register.
func (r Register) String() string {
	if r >= registers {
		return fmt.Sprintf("register %d", uint8(r))
	}
	return registerNames[r]
}

// Rights say which registers a process may read and write.
type Rights uint8

const (
	// User is a process that has been given the card.
	User Rights = iota
	// Privileged is the operating system, which sets a job up.
	Privileged
)

// String names who has the rights.
func (r Rights) String() string {
	switch r {
	case User:
		return "a user process"
	case Privileged:
		return "a privileged process"
	}
	return fmt.Sprintf("somebody with rights %d", uint8(r))
}

// mayRead and mayWrite give the least rights that a register takes. What only the
// card itself writes, nobody may.
var (
	mayRead  = [registers]Rights{Busy: User, Group: Privileged, Process: User}
	mayWrite = [registers]Rights{Busy: nobody, Group: Privileged, Process: Privileged}
)

const nobody = Privileged + 1

// allowed reports whether the rights of somebody suffice for a register. There are
// none above Privileged, whatever number is given.
func allowed(least *[registers]Rights, which Register, by Rights) bool {
	return which < registers && by <= Privileged && by >= least[which]
}

// Registers are the registers of one process on a card, but for the one that takes
// its commands.
type Registers struct {
	values [registers]uint64
}

// RightsError is an access to a register that its rights forbid, or to none. It
// leaves the registers as they are.
type RightsError struct {
	Register Register
	Write    bool
	Rights   Rights // of who tried
}

func (e *RightsError) Error() string {
	if e.Register >= registers {
		return fmt.Sprintf("register: there is no %v; known are %s", e.Register, strings.Join(registerNames[:], ", "))
	}
	access := "read"
	if e.Write {
		access = "write"
	}
	return fmt.Sprintf("register: %v may not %s register %v", e.Rights, access, e.Register)
}

// Read returns what is in a register.
func (r *Registers) Read(which Register, by Rights) (uint64, error) {
	if !allowed(&mayRead, which, by) {
		return 0, &RightsError{which, false, by}
	}
	return r.values[which], nil
}

// Write puts a value into a register.
func (r *Registers) Write(which Register, value uint64, by Rights) error {
	if err := CheckWrite(which, by); err != nil {
		return err
	}
	r.values[which] = value
	return nil
}

// CheckWrite fails with a *RightsError if somebody may not write a register.
func CheckWrite(which Register, by Rights) error {
	if !allowed(&mayWrite, which, by) {
		return &RightsError{which, true, by}
	}
	return nil
}

// SetBusy marks a Write Window, 0 to 63, as one to be read out, or as read out. Only
// the card does so.
func (r *Registers) SetBusy(window int, busy bool) {
	r.values[Busy] &^= 1 << window
	if busy {
		r.values[Busy] |= 1 << window
	}
}
