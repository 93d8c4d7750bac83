package memory

import (
	"fmt"

	"musubi/nic/mbc"
)

// The life of a frame is three state machines: who has it, how it takes part in a multicast,
// and how far the access is that it asks for. Each moves by a become method, which refuses
// what cannot be.

// custody says who has a frame.
type custody uint8

const (
	unused       custody = iota // nobody: its number is free
	held                        // a ring of an interface, a list of the operating system, or a link that loses nothing
	kept                        // links, and a ring until it is acknowledged: it may have to be sent again
	acknowledged                // links alone, until the last copy has come
)

var custodyNames = [...]string{"unused", "held", "kept", "acknowledged"}

func (c custody) String() string { return custodyNames[c] }

// becomeHeld takes a frame into use.
func (f *frame) becomeHeld() {
	f.refuse(f.custody != unused, held)
	f.custody = held
}

// becomeKept lets a frame be sent again until it is acknowledged.
func (f *frame) becomeKept() {
	f.refuse(f.custody != held, kept)
	f.custody = kept
}

// becomeAcknowledged ends that: the next interface has the frame, or all targets of it.
func (f *frame) becomeAcknowledged() {
	f.refuse(f.custody != kept, acknowledged)
	f.custody = acknowledged
}

// becomeUnused ends the life of a frame.
func (f *frame) becomeUnused() {
	f.refuse(f.custody == kept || f.custody == unused, unused)
	f.custody = unused
}

// part says how a frame takes part in a multicast.
type part uint8

const (
	noCopy          part = iota // switches do not copy it: a request, a reply, or a chain
	original                    // switches copy it, at its source
	converted                   // the same, and it was a chain before
	branchCopy                  // a copy that has come by a branch of a tree, or what answers it
	branchChain                 // what such a copy has become behind its target: a chain, or what answers that
	convertedAnswer             // the acknowledgement of what was converted, for the source of the chain
)

var partNames = [...]string{"no copy", "original", "converted", "copy of a branch", "chain of a branch", "answer to what was converted"}

func (p part) String() string { return partNames[p] }

// becomeOriginal lets switches copy a frame.
func (f *frame) becomeOriginal() {
	f.refuse(f.part != noCopy, original)
	f.part = original
}

// becomeConverted lets switches copy a chain from here on.
func (f *frame) becomeConverted() {
	f.refuse(f.part != noCopy || f.h.Type != mbc.Multicast, converted)
	f.part = converted
}

// becomeConvertedAnswer makes an acknowledgement that of a frame that was converted.
func (f *frame) becomeConvertedAnswer() {
	f.refuse(f.part != noCopy || f.h.Type != mbc.CombinedAck, convertedAnswer)
	f.part = convertedAnswer
}

// becomeBranchCopy makes a frame, which is like the original, one of its copies.
func (f *frame) becomeBranchCopy() {
	f.refuse(!f.isOriginal(), branchCopy)
	f.part = branchCopy
}

// becomeBranchChain makes a copy the chain through those that it is to go on to.
func (f *frame) becomeBranchChain() {
	f.refuse(f.part != branchCopy, branchChain)
	f.part = branchChain
}

// becomeAnswerTo makes a frame that goes back a part of the same branch as the one that it
// answers.
func (f *frame) becomeAnswerTo(other *frame) {
	f.refuse(f.part != noCopy, branchCopy)
	if other.isOfBranch() {
		f.part, f.branch, f.answer, f.member = branchCopy, other.branch, other.answer, other.member
	}
}

// becomeNext makes a frame what another one goes on as, of the same branch.
func (f *frame) becomeNext(other *frame) {
	f.refuse(f.part != noCopy || other.isOriginal(), other.part)
	f.part, f.branch, f.answer, f.member = other.part, other.branch, other.answer, other.member
}

// isOriginal reports whether switches copy a frame.
func (f *frame) isOriginal() bool { return f.part == original || f.part == converted }

// isOfBranch reports whether a frame has come by a branch of a tree, or is what became of
// one that has.
func (f *frame) isOfBranch() bool { return f.part == branchCopy || f.part == branchChain }

// hasNumber reports whether a frame has one of the numbers that tell the copied packets of
// an interface apart where links make errors.
func (f *frame) hasNumber() bool { return f.isOriginal() && f.custody != unused }

// progress says how far the access is that a frame asks for.
type progress uint8

const (
	comes    progress = iota // it has not been checked
	direct                   // the interface does it by itself
	bySystem                 // the operating system does it, and the access check lets what is behind it wait
)

var progressNames = [...]string{"coming", "done by the interface", "done by the operating system"}

func (p progress) String() string { return progressNames[p] }

// becomeDirect lets the interface do the access of a frame.
func (f *frame) becomeDirect() {
	f.refuse(f.progress != comes, direct)
	f.progress = direct
}

// becomeBySystem hands the access of a frame to the operating system.
func (f *frame) becomeBySystem() {
	f.refuse(f.progress != comes, bySystem)
	f.progress = bySystem
}

// refuse panics if a frame cannot come to a state.
func (f *frame) refuse(illegal bool, state fmt.Stringer) {
	if illegal {
		panic(fmt.Sprintf("memory: a frame of type %v that is %v, %v and %v cannot become %v", f.h.Type, f.custody, f.part, f.progress, state))
	}
}
