package abi

import (
	"errors"
	"fmt"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// implemented are the functions that this package carries out, by name. Those for large counts are
// under the name of the others.
var implemented = map[string]func(c *call) error{}

func add(functions map[string]func(c *call) error) {
	for name, do := range functions {
		implemented[name] = do
	}
}

// early are functions that may be called at any time, beside those that bind knows by their names.
var early = map[string]bool{
	"MPI_Init": true, "MPI_Init_thread": true, "MPI_Initialized": true, "MPI_Finalized": true, "MPI_Get_version": true, "MPI_Get_library_version": true, "MPI_Wtime": true, "MPI_Wtick": true,
	"MPI_Error_class": true, "MPI_Error_string": true, "MPI_Add_error_class": true, "MPI_Add_error_code": true, "MPI_Add_error_string": true,
	"MPI_Remove_error_class": true, "MPI_Remove_error_code": true, "MPI_Remove_error_string": true,
	"MPI_Group_from_session_pset": true, "MPI_Comm_create_from_group": true, "MPI_Abort": true, "MPI_Pcontrol": true, "MPI_Alloc_mem": true, "MPI_Free_mem": true, "MPI_Get_address": true,
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Init":        func(c *call) error { return c.initialize(standard.ThreadSingle) },
		"MPI_Init_thread": func(c *call) error { return c.initialize(c.a[2]) },
		"MPI_Finalize":    (*call).finalize,
		"MPI_Initialized": func(c *call) error { c.putBool(c.a[0], c.state != notStarted && !c.onlySessions); return nil },
		"MPI_Finalized":   func(c *call) error { c.putBool(c.a[0], c.state == finalized); return nil },
		"MPI_Query_thread": func(c *call) error {
			c.putInt(c.a[0], int(c.level))
			return nil
		},
		"MPI_Is_thread_main": func(c *call) error {
			c.putBool(c.a[0], c.threads == nil || c.threads.main == c.host.Thread())
			return nil
		},
		"MPI_Abort": (*call).abortJob,
		"MPI_Get_version": func(c *call) error {
			c.putInt(c.a[0], standard.Version)
			c.putInt(c.a[1], standard.Subversion)
			return nil
		},
		"MPI_Get_library_version": func(c *call) error {
			c.putInt(c.a[1], c.putText(c.a[0], "Musubi, MPI 5.0 standard ABI", standard.MaxLibraryVersionString))
			return nil
		},
		"MPI_Abi_get_version": func(c *call) error {
			c.putInt(c.a[0], standard.AbiVersion)
			c.putInt(c.a[1], standard.AbiSubversion)
			return nil
		},
		"MPI_Get_processor_name": func(c *call) error {
			c.putInt(c.a[1], c.putText(c.a[0], c.host.Name(), standard.MaxProcessorName))
			return nil
		},
		"MPI_Wtime":       func(c *call) error { c.result = c.now(); return nil },
		"MPI_Pcontrol":    func(c *call) error { return nil },
		"MPI_Alloc_mem":   (*call).allocMem,
		"MPI_Free_mem":    func(c *call) error { c.ask(Free, c.a[0]); return nil },
		"MPI_Get_address": func(c *call) error { c.putWord(c.a[1], c.a[0]); return nil },
		"MPI_Address":     func(c *call) error { c.putWord(c.a[1], c.a[0]); return nil },
		"MPI_Aint_add":    func(c *call) error { c.result = c.a[0] + c.a[1]; return nil },
		"MPI_Aint_diff":   func(c *call) error { c.result = c.a[0] - c.a[1]; return nil },
	})
	for _, name := range []string{"Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win"} {
		same := func(c *call) error { c.result = c.a[0]; return nil }
		add(map[string]func(c *call) error{"MPI_" + name + "_toint": same, "MPI_" + name + "_fromint": same})
	}
}

// now returns picoseconds of simulated time.
func (p *Process) now() int64 {
	if p.rma == nil {
		return 0
	}
	return int64(p.rma.Now())
}

func (c *call) initialize(level int64) error {
	if c.state != notStarted && !c.onlySessions {
		return wrong(standard.ErrOther, "called a second time")
	}
	if err := c.joinWorld(); err != nil {
		return err
	}
	c.setLevel(level)
	if c.function.name == "MPI_Init_thread" {
		c.putInt(c.a[3], int(c.level))
	}
	c.state, c.onlySessions = started, false
	return nil
}

// joinWorld makes this process a rank, unless it is one.
func (c *call) joinWorld() error {
	if c.rma != nil {
		return nil
	}
	process, leave, err := c.host.Join()
	if err != nil {
		return wrong(standard.ErrOther, "%v", err)
	}
	c.leave = leave
	if c.engine, err = core.NewEngine(process, core.Options{Check: core.CheckIfAsked()}); err != nil {
		return wrong(standard.ErrOther, "%v", err)
	}
	c.rma = process
	if c.threads != nil {
		c.engine.Share = c.letOthers
	}
	c.world = collective.NewWorld(c.engine)
	self := c.world.Self()
	c.worldComm, c.selfComm = c.fixedComm(c.world, standard.CommWorld, "MPI_COMM_WORLD"), c.fixedComm(self, standard.CommSelf, "MPI_COMM_SELF")
	return nil
}

func (p *Process) fixedComm(c *collective.Comm, handle int64, name string) *comm {
	m := &comm{c: c, point: &c.Comm, name: name, fixed: true}
	m.handle, m.errhandler = handle, standard.ErrorsAreFatal
	return m
}

func (c *call) finalize() error {
	if err := c.deleteAttributes(&c.selfComm.attributes, standard.CommSelf); err != nil {
		return err
	}
	if err := c.deleteAttributes(&c.worldComm.attributes, standard.CommWorld); err != nil {
		return err
	}
	c.buffers.own.wait(c)
	err := c.world.Close(c.function.name)
	var left *fault.Error
	if errors.As(err, &left) && left.Class == fault.Request {
		err = nil // what a program leaves undone is its own affair here
	}
	c.state = finalized
	if err != nil {
		return err
	}
	if err := c.leave(); err != nil {
		return wrong(standard.ErrOther, "%v", err)
	}
	return nil
}

func (c *call) abortJob() error {
	c.abort(fmt.Sprintf("MPI_Abort with error code %d", c.at(1)), c.at(1))
	return nil
}

func (c *call) allocMem() error {
	if c.a[0] < 0 {
		return wrong(standard.ErrArg, "%d bytes; expected at least 0", c.a[0])
	}
	at, _ := c.ask(Allocate, c.a[0])
	if at == 0 {
		return wrong(standard.ErrNoMem, "%d bytes", c.a[0])
	}
	c.putWord(c.a[2], at)
	return nil
}
