package environment

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Comm_create_errhandler":    createErrorHandler,
		"MPI_Win_create_errhandler":     createErrorHandler,
		"MPI_File_create_errhandler":    createErrorHandler,
		"MPI_Session_create_errhandler": createErrorHandler,
		"MPI_Errhandler_free":           freeErrorHandler,
	})
	for kind, find := range map[string]func(c *abi.Call) (*abi.Handled, error){
		"Comm": handledComm, "Win": handledWin, "Session": handledSession, "File": handledFile,
	} {
		abi.Add(map[string]func(c *abi.Call) error{
			"MPI_" + kind + "_set_errhandler":  func(c *abi.Call) error { return setErrorHandler(c, find) },
			"MPI_" + kind + "_get_errhandler":  func(c *abi.Call) error { return getErrorHandler(c, find) },
			"MPI_" + kind + "_call_errhandler": func(c *abi.Call) error { return callErrorHandler(c, find) },
		})
	}
}

func createErrorHandler(c *abi.Call) error {
	c.PutWord(c.Words[1], c.Errhandlers.Add(&abi.Errhandler{Function: c.Words[0], Uses: 0}))
	return nil
}

func freeErrorHandler(c *abi.Call) error {
	h := c.Word(c.Words[0])
	if !c.ErrhandlerExists(h) {
		return noErrorHandler(h)
	}
	if e := c.Errhandlers.Get(h); e != nil {
		if e.Freed = true; e.Uses == 0 {
			c.Errhandlers.Remove(h)
		}
	}
	c.PutWord(c.Words[0], standard.ErrhandlerNull)
	return nil
}

func noErrorHandler(h int64) error {
	return abi.Wrong(standard.ErrErrhandler, "%#x is no error handler", h)
}

// What has an error handler: the first argument of a call.

func handledComm(c *abi.Call) (*abi.Handled, error) {
	m, err := c.NewOrMade(0)
	if err != nil {
		return nil, err
	}
	return &m.Handled, nil
}

func handledWin(c *abi.Call) (*abi.Handled, error) {
	w, err := c.Win(0)
	if err != nil {
		return nil, err
	}
	return &w.Handled, nil
}

func handledSession(c *abi.Call) (*abi.Handled, error) {
	s := c.Sessions.Get(c.Words[0])
	if s == nil {
		return nil, abi.Wrong(standard.ErrSession, "%#x is no session", c.Words[0])
	}
	return &s.Handled, nil
}

func handledFile(c *abi.Call) (*abi.Handled, error) {
	if c.Words[0] == standard.FileNull {
		return &c.NoFile, nil
	}
	f, err := c.File(0)
	if err != nil {
		return nil, err
	}
	return &f.Handled, nil
}

func setErrorHandler(c *abi.Call, find func(c *abi.Call) (*abi.Handled, error)) error {
	on, err := find(c)
	if err != nil {
		return err
	}
	if !c.ErrhandlerExists(c.Words[1]) {
		return noErrorHandler(c.Words[1])
	}
	c.UnuseErrhandler(on.Errhandler)
	on.Errhandler = c.Words[1]
	c.UseErrhandler(on.Errhandler)
	return nil
}

func getErrorHandler(c *abi.Call, find func(c *abi.Call) (*abi.Handled, error)) error {
	on, err := find(c)
	if err != nil {
		return err
	}
	c.UseErrhandler(on.Errhandler)
	c.PutWord(c.Words[1], on.Errhandler)
	return nil
}

func callErrorHandler(c *abi.Call, find func(c *abi.Call) (*abi.Handled, error)) error {
	on, err := find(c)
	if err != nil {
		return err
	}
	c.Handle(on, c.At(1))
	return nil
}
