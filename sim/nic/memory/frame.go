package memory

import (
	"musubi/nic/mbc"
	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/fabric"
)

// frame is a packet of memory-based communication, as long as it is in a ring of an
// interface or on a link.
type frame struct {
	h        mbc.Header
	data     []byte
	from, to int32       // end points
	origin   int32       // end point that replies go to
	op       uint32      // that it belongs to
	place    rma.Address // that h.At is; that of the receive rings of a rank if it appends to one
	offset   int         // of its data in the packed form of the operation
	flits    int         // that it has on links
	packet   uint32      // of the fabric

	cast   uint32      // multicast that it is part of, 0 if none
	member int         // target of that; the first one of several
	copies int         // of it that are on links, or will be made by switches, while it is kept
	tree   fabric.Tree // of what switches copy, at its source
	timer  uint32      // the clock for its acknowledgement
	tries  int         // times that it was sent again
	branch fabric.Tree // by which it has come as a copy
	final  bool        // of a multicast: with it all of its packets have left

	answers mbc.AckTally // of a packet that switches copy: what is known of them

	placed ring.Placement // of what it appends
	answer uint32         // frame that it is answered with, once there is room for that; of a copy, the original
	next   uint32         // in the list of those not in use

	custody  custody
	part     part
	progress progress
}

// payload returns the data that a frame writes.
func (f *frame) payload() []byte {
	_, data := f.asWrite()
	return data
}

// asWrite returns what a frame writes at its target.
func (f *frame) asWrite() (write mbc.Header, data []byte) {
	var err error
	switch f.h.Type {
	case mbc.Chain:
		write, data, err = mbc.ChainWrite(&f.h, f.data)
	case mbc.Multicast:
		write, data, err = mbc.CopyWrite(&f.h, f.data)
	default:
		return f.h, f.data
	}
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	return write, data
}

// appends reports whether a frame is for a receive ring: all that has a page of its own.
func (f *frame) appends() bool { return f.h.Type == mbc.Write && f.h.At/mbc.PageSize == ringPage }

// isReply reports whether a frame travels as a reply, which nothing but other replies can
// hold back.
func (f *frame) isReply() bool {
	switch f.h.Type {
	case mbc.Answer, mbc.Result, mbc.Results, mbc.Ack, mbc.CombinedAck, mbc.Moved, mbc.ChannelAck, mbc.ChannelNack:
		return true
	}
	return false
}

// answersCopy reports whether a frame is an acknowledgement that switches combine.
func (f *frame) answersCopy() bool {
	return f.part == branchCopy && f.h.Type == mbc.CombinedAck
}

func (f *frame) class() int {
	if f.isReply() {
		return replies
	}
	return requests
}

// isAwaited reports whether a frame will be answered.
func (f *frame) isAwaited() bool {
	switch f.h.Type {
	case mbc.Read, mbc.FetchOp, mbc.CompareSwap, mbc.Sequence:
		return true
	}
	return f.h.Flags&mbc.Confirm != 0 && !f.isReply()
}

// frameOf returns the frame that a packet of the fabric is.
func frameOf(tag uint64) uint32 { return uint32(tag) }
