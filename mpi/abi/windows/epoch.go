package windows

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Win_fence":           synchronising(1, (*window.Window).Fence),
		"MPI_Win_complete":        synchronising(0, (*window.Window).Complete),
		"MPI_Win_wait":            synchronising(0, (*window.Window).Wait),
		"MPI_Win_lock_all":        synchronising(1, (*window.Window).LockAll),
		"MPI_Win_unlock_all":      synchronising(0, (*window.Window).UnlockAll),
		"MPI_Win_flush_all":       synchronising(0, (*window.Window).FlushAllLocked),
		"MPI_Win_flush_local_all": synchronising(0, (*window.Window).FlushLocalAll),
		"MPI_Win_sync":            synchronising(0, (*window.Window).Sync),
		"MPI_Win_flush":           atRank(0, 1, func(w *window.Window, call string, rank int) error { return w.FlushLocked(call, rank, true) }),
		"MPI_Win_flush_local":     atRank(0, 1, func(w *window.Window, call string, rank int) error { return w.FlushLocked(call, rank, false) }),
		"MPI_Win_unlock":          atRank(0, 1, (*window.Window).UnlockRank),
		"MPI_Win_lock":            winLock,
		"MPI_Win_post":            withGroup((*window.Window).Post),
		"MPI_Win_start":           withGroup((*window.Window).Start),
		"MPI_Win_test":            onWin(0, winTest),
	})
}

// synchronise calls a function that may complete accesses.
func synchronise(c *abi.Call, w *abi.Win, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	w.Land(c.Process)
	return nil
}

// synchronising returns a function that may complete accesses of the window of a word.
func synchronising(word int, do func(w *window.Window, call string) error) func(*abi.Call) error {
	return onWin(word, func(c *abi.Call, w *abi.Win) error {
		return synchronise(c, w, func() error { return do(w.Inner, c.Function.Name) })
	})
}

// atRank is synchronising with one rank; the words of rank and window are given.
func atRank(rank, win int, do func(w *window.Window, call string, rank int) error) func(*abi.Call) error {
	return onWin(win, func(c *abi.Call, w *abi.Win) error {
		r, err := c.Peer(w.M, c.At(rank), false)
		if err != nil || r == core.None {
			return err
		}
		return synchronise(c, w, func() error { return do(w.Inner, c.Function.Name, r) })
	})
}

func winLock(c *abi.Call) error {
	kind := window.SharedLock
	switch c.At(0) {
	case standard.LockShared:
	case standard.LockExclusive:
		kind = window.ExclusiveLock
	default:
		if _, err := c.Win(3); err != nil {
			return err
		}
		return abi.Wrong(standard.ErrLocktype, "lock type %d", c.At(0))
	}
	return atRank(1, 3, func(w *window.Window, call string, rank int) error { return w.Lock(call, rank, kind) })(c)
}

// withGroup returns a function that begins an epoch with the ranks of a group.
func withGroup(begin func(w *window.Window, call string, ranks []int) error) func(*abi.Call) error {
	return onWin(2, func(c *abi.Call, w *abi.Win) error {
		ranks, err := ranksOf(c, w)
		if err != nil {
			return err
		}
		return begin(w.Inner, c.Function.Name, ranks)
	})
}

// ranksOf returns the ranks in a window of the group of word 0.
func ranksOf(c *abi.Call, w *abi.Win) (ranks []int, err error) {
	g, err := c.Group(0)
	if err != nil {
		return nil, err
	}
	for _, process := range g.Processes {
		r := w.M.Inner.RankOf(process)
		if r < 0 {
			return nil, abi.Wrong(standard.ErrGroup, "a group with a process that the window does not have")
		}
		ranks = append(ranks, r)
	}
	return ranks, nil
}

func winTest(c *abi.Call, w *abi.Win) error {
	done, err := w.Inner.Test(c.Function.Name)
	if err == nil {
		c.PutBool(c.Words[1], done)
		w.Land(c.Process)
	}
	return err
}
