package main

import (
	"errors"
	"fmt"

	"musubi/mpi"
	"musubi/units"
)

// block is the part of the plate that a rank has, with a rim of one point around it: the outermost
// points of the neighbours, or the edge of the plate, which keeps its temperature.
type block struct {
	c          *mpi.Cart
	size       int       // of the plate
	rows, cols [2]int    // of the plate, from and to
	now, next  []float64 // temperatures, row by row
	pitch      int       // of rows
}

// hot is the temperature of the upper edge; the others have 0.
const hot = 100

func newBlock(c *mpi.Comm, size int) (*block, error) {
	dims, err := mpi.Dims(c.Size(), 0, 0)
	if err != nil {
		return nil, err
	}
	if size < dims[0] {
		return nil, fmt.Errorf("a plate of %d points in each direction; expected at least %d for %d ranks", size, dims[0], c.Size())
	}
	cart, err := c.Cart(dims, []bool{false, false}, true)
	if err != nil {
		return nil, err
	}
	b := &block{c: cart, size: size}
	if b.rows, b.cols, err = b.part(cart.Rank()); err != nil {
		return nil, err
	}
	b.pitch = b.width() + 2
	b.now = make([]float64, (b.height()+2)*b.pitch)
	if b.rows[0] == 0 {
		for x := range b.pitch {
			b.now[x] = hot
		}
	}
	b.next = append([]float64(nil), b.now...)
	return b, nil
}

// part returns which rows and columns of the plate a rank has.
func (b *block) part(rank int) (rows, cols [2]int, err error) {
	at, err := b.c.Coordinates(rank)
	if err != nil {
		return rows, cols, err
	}
	dims := b.c.Dims()
	for i, part := range []*[2]int{&rows, &cols} {
		*part = [2]int{b.size * at[i] / dims[i], b.size * (at[i] + 1) / dims[i]}
	}
	return rows, cols, nil
}

func (b *block) height() int { return b.rows[1] - b.rows[0] }
func (b *block) width() int  { return b.cols[1] - b.cols[0] }

// spread computes some steps. It returns the plan of the exchange.
func (b *block) spread(steps int) (plan mpi.Plan, err error) {
	// One operation for each of the two sets of temperatures, which take turns.
	exchange, err := b.exchange(b.now)
	if err != nil {
		return plan, err
	}
	other, err := b.exchange(b.next)
	if err != nil {
		return plan, err
	}
	h, w := b.height(), b.width()
	for range steps {
		if err := exchange.Start(); err != nil {
			return plan, err
		}
		b.compute(1, h-1, 1, w-1)
		if _, err := exchange.Wait(); err != nil {
			return plan, err
		}
		b.compute(0, 1, 0, w)
		b.compute(max(1, h-1), h, 0, w)
		b.compute(1, h-1, 0, 1)
		b.compute(1, h-1, max(1, w-1), w)
		b.now, b.next = b.next, b.now
		exchange, other = other, exchange
	}
	return exchange.Plan(), errors.Join(exchange.Free(), other.Free())
}

// exchange prepares to send the outermost points of the block to the neighbours, above,
// below, left and right, and to put theirs on the rim.
func (b *block) exchange(points []float64) (*mpi.Persistent, error) {
	h, w := b.height(), b.width()
	row := func(y int) mpi.Layout { return mpi.Indexed(mpi.Block{At: b.at(y, 0), Count: w}) }
	column := func(x int) mpi.Layout {
		blocks := make([]mpi.Block, h)
		for y := range blocks {
			blocks[y] = mpi.Block{At: b.at(y, x), Count: 1}
		}
		return mpi.Indexed(blocks...)
	}
	to := []mpi.Layout{row(0), row(h - 1), column(0), column(w - 1)}
	from := []mpi.Layout{row(-1), row(h), column(-1), column(w)}
	return mpi.NeighbourAllToAllWInit(b.c, points, to, points, from)
}

// at returns the place of a point of the block in memory.
func (b *block) at(y, x int) int { return (y+1)*b.pitch + x + 1 }

// pointTime is the time of a point on simulated machines, whose programs compute in no time.
const pointTime = units.Nanosecond

// compute computes the next temperatures of some points.
func (b *block) compute(top, bottom, left, right int) {
	if top >= bottom || left >= right {
		return
	}
	p := b.c.Process()
	begin := p.Now()
	for y := top; y < bottom; y++ {
		for i := b.at(y, left); i < b.at(y, right); i++ {
			b.next[i] = (b.now[i-1] + b.now[i+1] + b.now[i-b.pitch] + b.now[i+b.pitch]) / 4
		}
	}
	points := units.Time((bottom - top) * (right - left))
	p.Compute(max(0, points*pointTime-(p.Now()-begin)))
}

// gather returns the temperatures of the plate, row by row, at rank 0.
func (b *block) gather() ([][]float64, error) {
	var mine []float64
	for y := range b.height() {
		mine = append(mine, b.now[b.at(y, 0):b.at(y, b.width())]...)
	}
	if b.c.Rank() > 0 {
		return nil, mpi.GatherV(b.c.Comm, 0, mine, nil)
	}
	parts := make([][]float64, b.c.Size())
	for rank := range parts {
		rows, cols, err := b.part(rank)
		if err != nil {
			return nil, err
		}
		parts[rank] = make([]float64, (rows[1]-rows[0])*(cols[1]-cols[0]))
	}
	if err := mpi.GatherV(b.c.Comm, 0, mine, parts); err != nil {
		return nil, err
	}
	plate := make([][]float64, b.size)
	for y := range plate {
		plate[y] = make([]float64, b.size)
	}
	for rank, part := range parts {
		rows, cols, err := b.part(rank)
		if err != nil {
			return nil, err
		}
		for y := rows[0]; y < rows[1]; y++ {
			n := copy(plate[y][cols[0]:cols[1]], part)
			part = part[n:]
		}
	}
	return plate, nil
}
