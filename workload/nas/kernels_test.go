package nas

import (
	"slices"
	"testing"
)

// owners returns which processes have points of a grid of n points along an axis,
// and how many: process i has those from i*n/processes to (i+1)*n/processes.
func owners(n, processes int) []int {
	points := make([]int, processes)
	for i := range points {
		points[i] = (i+1)*n/processes - i*n/processes
	}
	return points
}

// nearest returns the first process with points from one on, over the end of the
// axis if need be.
func nearest(points []int, from, direction int) int {
	n := len(points)
	for i := (from + direction + n) % n; ; i = (i + direction + n) % n {
		if points[i] > 0 {
			return i
		}
	}
}

func TestMGNeighboursAreTheNearestThatHavePoints(t *testing.T) {
	for processes := 1; processes <= 64; processes *= 2 {
		for n := 2; n <= 128; n *= 2 {
			points := owners(n, processes)
			for at := range processes {
				a := mgAxis{processes, at, 1}
				if got := a.points(n); got != points[at] {
					t.Errorf("process %d of %d has %d of %d points; expected %d", at, processes, got, n, points[at])
				}
				if points[at] == 0 {
					continue
				}
				for _, direction := range []int{1, -1} {
					if got, want := at+a.neighbour(n, direction), nearest(points, at, direction); got != want {
						t.Errorf("process %d of %d, %d points, direction %d: neighbour %d; expected %d", at, processes, n, direction, got, want)
					}
				}
			}
		}
	}
}

// A process has the parts of those columns of the matrix that it has heard of, be
// it from others.
func TestCGAddsUpWholeRows(t *testing.T) {
	for ranks := 1; ranks <= 1024; ranks *= 2 {
		rows, columns := cgShape(ranks)
		if rows != columns && 2*rows != columns {
			t.Fatalf("%d ranks: %d rows and %d columns; expected as many or twice as many columns", ranks, rows, columns)
		}
		for row := range rows {
			has := make([][]bool, columns)
			for c := range has {
				has[c] = make([]bool, columns)
				has[c][c] = true
			}
			for distance := 1; distance < columns; distance *= 2 {
				before := slices.Clone(has)
				for c := range has {
					p := newCGProcess(0, ranks, row*columns+c)
					has[c] = union(before[c], before[p.inRow(distance)-row*columns])
				}
			}
			for c := range has {
				if slices.Contains(has[c], false) {
					t.Errorf("%d ranks: rank %d has not all of its row", ranks, row*columns+c)
				}
			}
		}
	}
}

func union(a, b []bool) []bool {
	c := slices.Clone(a)
	for i := range b {
		c[i] = c[i] || b[i]
	}
	return c
}

// What comes from the transposed place is what a process multiplies with next, and
// the pieces of a row of processes are the whole of its part.
func TestCGPiecesFit(t *testing.T) {
	for class, n := range cgOrder {
		for ranks := 1; ranks <= 1024 && cgFits(class, ranks); ranks *= 2 {
			rows, columns := cgShape(ranks)
			whole := 0
			for column := range columns {
				p := newCGProcess(class, ranks, column)
				whole += p.next
				back := newCGProcess(class, ranks, p.transposed)
				if back.transposed != column || back.piece != p.next {
					t.Errorf("class %s: rank %d of %d gets %d elements from rank %d, which sends %d to rank %d",
						Classes[class], column, ranks, p.next, p.transposed, back.piece, back.transposed)
				}
				if together := p.piece + p.other; rows != columns && together != p.part {
					t.Errorf("class %s: pieces of %d elements in rank %d of %d; expected %d", Classes[class], together, column, ranks, p.part)
				}
			}
			if whole != n {
				t.Errorf("class %s: %d ranks of a row need %d elements; expected %d", Classes[class], columns, whole, n)
			}
		}
	}
}

// Every cell has one owner, and a neighbour of a cell belongs to the neighbour of
// its process.
func TestMultipartitionCells(t *testing.T) {
	for p := 1; p <= 12; p++ {
		owner := map[cell]int{}
		for rank := range p * p {
			m := newMultipartition(64, p*p, rank)
			for s := range p {
				if other, taken := owner[m.cell(s)]; taken {
					t.Fatalf("cell %v has owners %d and %d", m.cell(s), other, rank)
				}
				owner[m.cell(s)] = rank
			}
		}
		for c, rank := range owner {
			m := newMultipartition(64, p*p, rank)
			for axis := range c {
				if got := m.slice(axis, c[axis]); got != c {
					t.Errorf("rank %d of %d has %v in slice %d of axis %d; expected %v", rank, p*p, got, c[axis], axis, c)
				}
				for _, direction := range []int{1, -1} {
					next := c
					next[axis] += direction
					if want, inside := owner[next]; inside && m.neighbour(axis, direction) != want {
						t.Errorf("rank %d of %d: neighbour %d of axis %d, direction %d; expected %d, which has cell %v",
							rank, p*p, m.neighbour(axis, direction), axis, direction, want, next)
					}
				}
			}
		}
	}
}

func TestShareDividesEverything(t *testing.T) {
	for n := range 40 {
		for parts := 1; parts <= 12; parts++ {
			all := 0
			for part := range parts {
				s := share(n, parts, part)
				if s < n/parts || s > n/parts+1 {
					t.Errorf("part %d of %d gets %d of %d", part, parts, s, n)
				}
				all += s
			}
			if all != n {
				t.Errorf("%d parts get %d of %d", parts, all, n)
			}
		}
	}
}
