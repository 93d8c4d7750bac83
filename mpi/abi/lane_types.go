package abi

// LaneType is a datatype of the program whose short messages it packs and unpacks by itself, in the way that it keeps it.
type LaneType struct {
	Handle       int64
	Size, Extent int64 // bytes
	Whole        int64 // only messages of a multiple of so many bytes end between basic elements
	IsRow        int64 // 1: elements are bytes in a row
	Used         int64 // blocks
	Blocks       [mostLaneBlocks]LaneBlocks
}

// LaneBlocks are blocks of an element, equally far apart.
type LaneBlocks struct {
	At                   int64 // of the first one, from the address on
	Count, Bytes, Stride int64
}

const (
	mostLaneBlocks = 4
	mostLaneType   = 4 << 10 // bytes of data of an element
)

// Commit lets messages have elements of a datatype.
func (p *Process) Commit(t *Datatype) {
	t.Committed = true
	if l, ok := laneTypeOf(t); ok && p.Lanes != nil {
		p.takeLanesOfThreads()
		p.Lanes.KeepType(l)
	}
}

// FreeType forgets a datatype of the program.
func (p *Process) FreeType(handle int64) {
	if p.Lanes != nil {
		p.takeLanesOfThreads()
		p.Lanes.ForgetType(handle)
	}
	p.Types.Remove(handle)
}

// takeLanesOfThreads closes the lanes that other threads may have, also in calls that do not communicate: they use the types.
func (p *Process) takeLanesOfThreads() {
	if p.Threads != nil {
		p.takeLanes()
	}
}

// laneTypeOf reports false for a type that programs do not pack by themselves: one of many different blocks, or of long elements.
func laneTypeOf(t *Datatype) (l LaneType, ok bool) {
	if t.Size == 0 || t.Size > mostLaneType || len(t.Data) > mostLaneBlocks {
		return l, false
	}
	l = LaneType{Handle: t.Handle, Size: int64(t.Size), Extent: int64(t.Extent()), Whole: 1, Used: int64(len(t.Data))}
	if t.Simple {
		l.IsRow = 1
	} else if t.Element.Bytes > 0 && !t.Element.Kind.IsForeign() { // see Landing.Splits
		l.Whole = int64(t.Element.Bytes)
	}
	for i, s := range t.Data {
		if s.Of != nil {
			return l, false
		}
		l.Blocks[i] = LaneBlocks{int64(s.At), int64(s.Count), int64(s.Bytes), int64(s.Stride)}
	}
	return l, true
}
