package windows

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Win_fence":           completing(1, (*window.Window).Fence),
		"MPI_Win_complete":        completing(0, (*window.Window).Complete),
		"MPI_Win_wait":            synchronising(0, (*window.Window).Wait),
		"MPI_Win_lock_all":        synchronising(1, (*window.Window).LockAll),
		"MPI_Win_unlock_all":      completing(0, (*window.Window).UnlockAll),
		"MPI_Win_flush_all":       completing(0, (*window.Window).FlushAllLocked),
		"MPI_Win_flush_local_all": completing(0, (*window.Window).FlushLocalAll),
		"MPI_Win_sync":            synchronising(0, (*window.Window).Sync),
		"MPI_Win_flush":           completingAt(func(w *window.Window, call string, rank int) error { return w.FlushLocked(call, rank, true) }),
		"MPI_Win_flush_local":     completingAt(func(w *window.Window, call string, rank int) error { return w.FlushLocked(call, rank, false) }),
		"MPI_Win_unlock":          completingAt((*window.Window).UnlockRank),
		"MPI_Win_lock":            winLock,
		"MPI_Win_post":            withGroup((*window.Window).Post),
		"MPI_Win_start":           withGroup((*window.Window).Start),
		"MPI_Win_test":            onWin(0, winTest),
	})
}

// synchronising returns a function about the window of a word.
func synchronising(word int, do func(w *window.Window, call string) error) func(*abi.Call) error {
	return onWin(word, func(c *abi.Call, w *abi.Win) error { return do(w.Inner, c.Function.Name) })
}

// completing is synchronising that completes all accesses.
func completing(word int, do func(w *window.Window, call string) error) func(*abi.Call) error {
	return onWin(word, func(c *abi.Call, w *abi.Win) error {
		err := do(w.Inner, c.Function.Name)
		if err == nil {
			w.Land(c.Process, abi.AllRanks)
		}
		return err
	})
}

// completingAt returns a function that completes all accesses to the rank of word 0; the window is that of word 1.
func completingAt(do func(w *window.Window, call string, rank int) error) func(*abi.Call) error {
	return onWin(1, func(c *abi.Call, w *abi.Win) error {
		r, err := c.Peer(w.M, c.At(0), false)
		if err != nil || r == core.None {
			return err
		}
		if err = do(w.Inner, c.Function.Name, r); err == nil {
			w.Land(c.Process, r)
		}
		return err
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
	w, err := c.Win(3)
	if err != nil {
		return err
	}
	r, err := c.Peer(w.M, c.At(1), false)
	if err != nil || r == core.None {
		return err
	}
	return w.Inner.Lock(c.Function.Name, r, kind)
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
	}
	return err
}
