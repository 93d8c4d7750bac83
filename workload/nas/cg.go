package nas

// cgOrder is the number of rows of the matrix.
var cgOrder = [...]int{1400, 7000, 14000, 75000, 150000}

// cgSteps is how many steps of the conjugate gradient method an iteration has.
const cgSteps = 25

// cgProcess is a process of CG, which estimates an eigenvalue of a sparse matrix
// by conjugate gradients. The matrix is divided into blocks over a grid of
// processes that is square or has twice as many columns as rows. After each
// product with a vector, the rows of processes add up their parts, with one
// partner per bit of the column's number, and then every process gives its piece
// of the sum to the one at the transposed place.
type cgProcess struct {
	columns, row, column int
	transposed           int // rank of the partner there
	part                 int // elements of the vector that the row of processes has
	piece                int // those of them that this process passes on
	other                int // those that its neighbour in a pair of columns passes on
	next                 int // elements that it needs for the next product
	w                    *writer
}

// cgShape divides a power of two into rows and columns.
func cgShape(ranks int) (rows, columns int) {
	rows = 1 << (log2(ranks) / 2)
	return rows, ranks / rows
}

func cgFits(class, ranks int) bool {
	if !isPower(ranks) {
		return false
	}
	_, columns := cgShape(ranks)
	return 2*columns <= cgOrder[class]
}

func newCGProcess(class, ranks, rank int) *cgProcess {
	rows, columns := cgShape(ranks)
	p := &cgProcess{columns: columns, row: rank / columns, column: rank % columns, w: &writer{rank: rank}}
	n := cgOrder[class]
	p.part = share(n, rows, p.row)
	if rows == columns {
		p.piece, p.other, p.next = p.part, p.part, share(n, rows, p.column)
		p.transposed = p.column*columns + p.row
		return p
	}
	// Pairs of columns stand for one, and divide what it would have.
	half := p.column % 2
	p.piece, p.other, p.next = share(p.part, 2, half), share(p.part, 2, 1-half), share(share(n, rows, p.column/2), 2, half)
	p.transposed = p.column/2*columns + 2*p.row + half
	return p
}

// cgScript is one run of the conjugate gradient method.
func cgScript(class, ranks, rank int) Script {
	p := newCGProcess(class, ranks, rank)
	p.add(1) // norm of the residual
	for range cgSteps {
		p.product()
		p.add(1) // length of the step
		p.add(1) // norm of the residual
	}
	p.product()
	p.add(1) // norm of the true residual
	p.add(2) // products for the eigenvalue and for the norm of the solution
	return Script{iteration: p.w.actions}
}

// add sums up some numbers over the row of processes, distant partners first.
func (p *cgProcess) add(numbers int) {
	for distance := p.columns / 2; distance > 0; distance /= 2 {
		p.w.send(p.inRow(distance), numbers*double)
		p.w.receive(p.inRow(distance), numbers*double)
	}
}

// product sums up the parts of a product over the row of processes, near partners
// first, and exchanges pieces with the transposed place.
func (p *cgProcess) product() {
	p.w.compute()
	give := p.other
	for distance := 1; distance < p.columns; distance *= 2 {
		p.w.send(p.inRow(distance), give*double)
		p.w.receive(p.inRow(distance), p.piece*double)
		give = p.piece
	}
	p.w.send(p.transposed, p.piece*double)
	p.w.receive(p.transposed, p.next*double)
}

// inRow returns the partner in the same row whose column differs in one bit.
func (p *cgProcess) inRow(distance int) int { return p.row*p.columns + (p.column ^ distance) }
