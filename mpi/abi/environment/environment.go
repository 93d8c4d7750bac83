package environment

import (
	"errors"
	"fmt"

	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/pointtopoint"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/fault"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Init":        func(c *abi.Call) error { return initialize(c, standard.ThreadSingle) },
		"MPI_Init_thread": func(c *abi.Call) error { return initialize(c, c.Words[2]) },
		"MPI_Finalize":    finalize,
		"MPI_Initialized": func(c *abi.Call) error {
			c.PutBool(c.Words[0], c.State != abi.NotStarted && !c.OnlySessions)
			return nil
		},
		"MPI_Finalized": func(c *abi.Call) error { c.PutBool(c.Words[0], c.State == abi.Finalized); return nil },
		"MPI_Query_thread": func(c *abi.Call) error {
			c.PutInt(c.Words[0], int(c.Level))
			return nil
		},
		"MPI_Is_thread_main": func(c *abi.Call) error {
			c.PutBool(c.Words[0], c.Threads == nil || c.Threads.Main == c.Host.Thread())
			return nil
		},
		"MPI_Abort": abortJob,
		"MPI_Get_version": func(c *abi.Call) error {
			c.PutInt(c.Words[0], standard.Version)
			c.PutInt(c.Words[1], standard.Subversion)
			return nil
		},
		"MPI_Get_library_version": func(c *abi.Call) error {
			c.PutInt(c.Words[1], c.PutText(c.Words[0], "Musubi, MPI 5.0 standard ABI", standard.MaxLibraryVersionString))
			return nil
		},
		"MPI_Abi_get_version": func(c *abi.Call) error {
			c.PutInt(c.Words[0], standard.AbiVersion)
			c.PutInt(c.Words[1], standard.AbiSubversion)
			return nil
		},
		"MPI_Get_processor_name": func(c *abi.Call) error {
			c.PutInt(c.Words[1], c.PutText(c.Words[0], c.Host.Name(), standard.MaxProcessorName))
			return nil
		},
		"MPI_Wtime":       func(c *abi.Call) error { c.Result = now(c.Process); return nil },
		"MPI_Pcontrol":    func(c *abi.Call) error { return nil },
		"MPI_Alloc_mem":   allocMem,
		"MPI_Free_mem":    func(c *abi.Call) error { c.Ask(abi.Free, c.Words[0]); return nil },
		"MPI_Get_address": func(c *abi.Call) error { c.PutWord(c.Words[1], c.Words[0]); return nil },
		"MPI_Address":     func(c *abi.Call) error { c.PutWord(c.Words[1], c.Words[0]); return nil },
		"MPI_Aint_add":    func(c *abi.Call) error { c.Result = c.Words[0] + c.Words[1]; return nil },
		"MPI_Aint_diff":   func(c *abi.Call) error { c.Result = c.Words[0] - c.Words[1]; return nil },
	})
	for _, name := range []string{"Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win"} {
		same := func(c *abi.Call) error { c.Result = c.Words[0]; return nil }
		abi.Add(map[string]func(c *abi.Call) error{"MPI_" + name + "_toint": same, "MPI_" + name + "_fromint": same})
	}
}

// now returns picoseconds of simulated time.
func now(p *abi.Process) int64 {
	if p.RMA == nil {
		return 0
	}
	return int64(p.RMA.Now())
}

func initialize(c *abi.Call, level int64) error {
	if c.State != abi.NotStarted && !c.OnlySessions {
		return abi.Wrong(standard.ErrOther, "called a second time")
	}
	if err := c.JoinWorld(); err != nil {
		return err
	}
	c.SetLevel(level)
	if c.Function.Name == "MPI_Init_thread" {
		c.PutInt(c.Words[3], int(c.Level))
	}
	c.State, c.OnlySessions = abi.Started, false
	return nil
}

func finalize(c *abi.Call) error {
	if err := attribute.DeleteAttributes(c, &c.SelfComm.Attributes, standard.CommSelf); err != nil {
		return err
	}
	if err := attribute.DeleteAttributes(c, &c.WorldComm.Attributes, standard.CommWorld); err != nil {
		return err
	}
	pointtopoint.Wait(&c.Buffers.Own, c)
	err := c.World.Close(c.Function.Name)
	var left *fault.Error
	if errors.As(err, &left) && left.Class == fault.Request {
		err = nil // what a program leaves undone is its own affair here
	}
	c.State = abi.Finalized
	if c.Lanes != nil {
		c.Lanes.End()
	}
	if c.Reached != nil {
		c.Reached.CloseAll()
	}
	if err != nil {
		return err
	}
	if err := c.LeaveJob(); err != nil {
		return abi.Wrong(standard.ErrOther, "%v", err)
	}
	return nil
}

func abortJob(c *abi.Call) error {
	c.AbortWith(fmt.Sprintf("MPI_Abort with error code %d", c.At(1)), c.At(1))
	return nil
}

func allocMem(c *abi.Call) error {
	if c.Words[0] < 0 {
		return abi.Wrong(standard.ErrArg, "%d bytes; expected at least 0", c.Words[0])
	}
	at, _ := c.Ask(abi.Allocate, c.Words[0])
	if at == 0 {
		return abi.Wrong(standard.ErrNoMem, "%d bytes", c.Words[0])
	}
	c.PutWord(c.Words[2], at)
	return nil
}
