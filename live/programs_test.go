package live

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"musubi/live/livetest"
	"musubi/rma"
)

// largeTransfers pushes and pulls blocks around the sizes at which the way of the
// data changes, all of them under way at once, and compares.
func largeTransfers(p rma.Process) ([]byte, error) {
	const most = 300_000
	sizes := []int{0, 1, longBytes - 1, longBytes, longBytes + 1, 65_536, most}
	memory := make([]byte, len(sizes)*most)
	segment := p.Expose(memory)
	rng := rand.New(rand.NewPCG(1, uint64(p.Rank())))
	blocks, back := make([][]byte, len(sizes)), make([][]byte, len(sizes))
	var list []rma.Op
	note := func(op rma.Op, err error) error {
		list = append(list, op)
		return err
	}
	for i, n := range sizes {
		blocks[i], back[i] = make([]byte, n), make([]byte, n)
		for j := range blocks[i] {
			blocks[i][j] = byte(rng.Uint32())
		}
		at := rma.Address{Rank: 1 - p.Rank(), Segment: segment, Offset: i * most}
		if err := note(p.Push(at, blocks[i], rma.DMA)); err != nil {
			return nil, err
		}
	}
	if err := livetest.WaitAll(p, list); err != nil {
		return nil, err
	}
	list = nil
	for i := range sizes {
		at := rma.Address{Rank: 1 - p.Rank(), Segment: segment, Offset: i * most}
		if err := note(p.Pull(at, back[i])); err != nil {
			return nil, err
		}
	}
	if err := livetest.WaitAll(p, list); err != nil {
		return nil, err
	}
	for i := range sizes {
		if !bytes.Equal(blocks[i], back[i]) {
			return nil, fmt.Errorf("block of %d bytes came back other than it was pushed", sizes[i])
		}
	}
	return nil, beyond(p, segment, len(memory))
}

// beyond makes mistakes with long transfers.
func beyond(p rma.Process, segment, size int) error {
	data := make([]byte, 2*longBytes)
	at := rma.Address{Rank: 1 - p.Rank(), Segment: segment, Offset: size - 1}
	op, err := p.Push(at, data, rma.DMA)
	if err == nil && p.Wait(op) == nil {
		return fmt.Errorf("a push of %d bytes to %v succeeds", len(data), at)
	}
	op, err = p.Pull(at, data)
	if err == nil && p.Wait(op) == nil {
		return fmt.Errorf("a pull of %d bytes from %v succeeds", len(data), at)
	}
	return nil
}

// manyRanks lets a token go round and round in exposed memory.
func manyRanks(p rma.Process) ([]byte, error) {
	token := make([]byte, 8)
	return nil, roundAndRound(p, p.Expose(token), token)
}

// manyWindows is manyRanks by way of windows.
func manyWindows(p rma.Process) ([]byte, error) {
	segment, token, err := p.ExposeWindow(8)
	if err != nil {
		return nil, err
	}
	return nil, roundAndRound(p, segment, token)
}

// roundAndRound passes a token on, so that all ranks but one sleep most of the time,
// and each wake-up counts.
func roundAndRound(p rma.Process, segment int, token []byte) error {
	const rounds = 200
	next := rma.Address{Rank: (p.Rank() + 1) % p.Size(), Segment: segment}
	for round := range uint64(rounds) {
		if p.Rank() > 0 || round > 0 {
			want := round
			if p.Rank() > 0 {
				want++
			}
			if err := p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(token) == want }); err != nil {
				return err
			}
		}
		op, err := p.Push(next, binary.LittleEndian.AppendUint64(nil, round+1), rma.DMA)
		if err != nil {
			return err
		}
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// longBytes is from which size on data is copied from process to process.
const longBytes = 32 << 10
