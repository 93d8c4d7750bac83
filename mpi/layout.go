package mpi

import "fmt"

// Block is some elements of a slice that follow each other.
type Block struct{ At, Count int }

// Layout says which elements of a slice a message is made of, and in which order. It
// is for a slice what a derived datatype is in MPI. The zero value has no elements.
type Layout struct {
	blocks               []Block
	count, block, stride int   // without blocks
	wrong                error // what it cannot be used for
}

// Vector is count blocks of some elements each that begin stride elements from each
// other, such as the columns of a matrix.
func Vector(count, block, stride int) Layout {
	return Layout{count: count, block: block, stride: stride}
}

// Indexed is any blocks. Those of a receive may not overlap.
func Indexed(blocks ...Block) Layout {
	if blocks == nil {
		blocks = []Block{}
	}
	return Layout{blocks: blocks}
}

// len returns the number of blocks.
func (l *Layout) len() int {
	if l.blocks != nil {
		return len(l.blocks)
	}
	return l.count
}

// at returns a block.
func (l *Layout) at(i int) Block {
	if l.blocks != nil {
		return l.blocks[i]
	}
	return Block{At: i * l.stride, Count: l.block}
}

// Elements returns how many elements it has.
func (l Layout) Elements() int {
	if l.blocks == nil {
		return l.count * l.block
	}
	n := 0
	for _, b := range l.blocks {
		n += b.Count
	}
	return n
}

// check fails if the layout is not of a slice of a length.
func (l *Layout) check(length int) error {
	if l.wrong != nil {
		return l.wrong
	}
	if l.count < 0 || l.block < 0 {
		return fmt.Errorf("a layout of %d blocks of %d elements; expected at least 0", l.count, l.block)
	}
	for i := range l.len() {
		if b := l.at(i); b.At < 0 || b.Count < 0 || b.At > length-b.Count {
			return fmt.Errorf("block %d of the layout, %d elements from %d on; there are %d elements", i, b.Count, b.At, length)
		}
	}
	return nil
}

// spread is the layout of a request whose data lies in a buffer of the engine.
type spread struct {
	Layout
	size   int    // of an element
	memory []byte // that the layout is of; nil in a send
}

// pack copies the elements that a layout names.
func (s *spread) pack(into, from []byte) {
	for i := range s.len() {
		b := s.at(i)
		into = into[copy(into, from[b.At*s.size:][:b.Count*s.size]):]
	}
}

// unpack copies to the elements that a layout names, as far as there is data.
func (s *spread) unpack(into, from []byte) {
	for i := range s.len() {
		b := s.at(i)
		from = from[copy(into[b.At*s.size:][:b.Count*s.size], from):]
	}
}

// end brings what a request has received to its place, and gives its buffer back.
func (s *spread) end(r *Request) {
	if s.memory != nil {
		s.unpack(s.memory, r.data[:r.status.Bytes])
	}
	r.c.e.buffers.Put(r.data)
	r.data = nil
}

// SendLayout is Send of the elements that a layout names, in its order. The receiver
// need not have the same layout, nor any. It fails with ErrArgument if the layout
// names elements that there are not.
func SendLayout[T any](c *Comm, to, tag int, data []T, l Layout) error {
	r, err := startLayout(c, "SendLayout", to, tag, data, l)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// ISendLayout starts a SendLayout. The elements may be changed at once.
func ISendLayout[T any](c *Comm, to, tag int, data []T, l Layout) (*Request, error) {
	return startLayout(c, "ISendLayout", to, tag, data, l)
}

func startLayout[T any](c *Comm, call string, to, tag int, data []T, l Layout) (*Request, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	if err := l.check(len(data)); err != nil {
		return nil, c.fail(ErrArgument, call, err)
	}
	s := &spread{Layout: l, size: sizeOf[T]()}
	packed := c.e.buffers.Get(l.Elements() * s.size)
	s.pack(packed, b)
	r := new(Request)
	r.setSend(c, call, c.point, to, tag, packed)
	r.layout = s
	if err := c.e.send(r, false); err != nil {
		return nil, c.fail(ErrOther, call, err)
	}
	return r, nil
}

// ReceiveLayout is Receive to the elements that a layout names, in its order. It
// fails with ErrArgument if the layout names elements that there are not.
func ReceiveLayout[T any](c *Comm, from, tag int, into []T, l Layout) (Status, error) {
	r, err := receiveLayout(c, "ReceiveLayout", from, tag, into, l)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IReceiveLayout starts a ReceiveLayout.
func IReceiveLayout[T any](c *Comm, from, tag int, into []T, l Layout) (*Request, error) {
	return receiveLayout(c, "IReceiveLayout", from, tag, into, l)
}

func receiveLayout[T any](c *Comm, call string, from, tag int, into []T, l Layout) (*Request, error) {
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	if err := l.check(len(into)); err != nil {
		return nil, c.fail(ErrArgument, call, err)
	}
	s := &spread{Layout: l, size: sizeOf[T](), memory: b}
	r := new(Request)
	r.setReceive(c, call, c.point, from, tag, c.e.buffers.Get(l.Elements()*s.size))
	r.layout = s
	if err := c.e.receive(r); err != nil {
		return nil, c.fail(ErrOther, call, err)
	}
	return r, nil
}
