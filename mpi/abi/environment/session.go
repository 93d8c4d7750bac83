package environment

import (
	"slices"
	"strconv"
	"strings"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

// processSets are the sets of processes that sessions know.
var processSets = []string{"mpi://WORLD", "mpi://SELF"}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Session_init": func(c *abi.Call) error {
			c.On = &abi.Handled{Errhandler: c.Words[1]}
			if err := checkThreadLevel(c); err != nil {
				return err
			}
			if err := c.JoinWorld(); err != nil {
				return err
			}
			if c.State == abi.NotStarted {
				c.State = abi.Started // its functions may be used from now on
				c.OnlySessions = true
			}
			c.OpenSessions++
			s := &abi.Session{}
			s.Errhandler = c.Words[1]
			c.UseErrhandler(s.Errhandler)
			s.Handle = c.Sessions.Add(s)
			c.PutWord(c.Words[2], s.Handle)
			return nil
		},
		"MPI_Session_finalize": func(c *abi.Call) error {
			s, err := c.Session(c.Word(c.Words[0]))
			if err != nil {
				return err
			}
			c.UnuseErrhandler(s.Errhandler)
			c.Sessions.Remove(s.Handle)
			c.PutWord(c.Words[0], standard.SessionNull)
			if c.OpenSessions--; c.OpenSessions == 0 && c.OnlySessions {
				c.State = abi.NotStarted
			}
			return nil
		},
		"MPI_Session_get_num_psets": func(c *abi.Call) error {
			_, err := c.Session(c.Words[0])
			if err == nil {
				c.PutInt(c.Words[2], len(processSets))
			}
			return err
		},
		"MPI_Session_get_nth_pset": func(c *abi.Call) error {
			if _, err := c.Session(c.Words[0]); err != nil {
				return err
			}
			n := c.At(2)
			if n < 0 || n >= len(processSets) {
				return abi.Wrong(standard.ErrArg, "set of processes %d of %d", n, len(processSets))
			}
			if room := c.Int(c.Words[3]); room > 0 {
				c.PutText(c.Words[4], processSets[n], room)
			}
			c.PutInt(c.Words[3], len(processSets[n])+1)
			return nil
		},
		"MPI_Session_get_pset_info": func(c *abi.Call) error {
			g, err := processSet(c, 1)
			if err == nil {
				c.PutWord(c.Words[2], c.Infos.Add(&abi.Info{Keys: []string{"mpi_size"}, Values: []string{strconv.Itoa(len(g))}}))
			}
			return err
		},
		"MPI_Session_get_info": func(c *abi.Call) error {
			_, err := c.Session(c.Words[0])
			if err == nil {
				c.PutWord(c.Words[1], c.Infos.Add(&abi.Info{Keys: []string{"thread_level"}, Values: []string{c.LevelName()}}))
			}
			return err
		},
		"MPI_Group_from_session_pset": func(c *abi.Call) error {
			g, err := processSet(c, 1)
			if err == nil {
				c.PutWord(c.Words[2], c.NewGroup(g))
			}
			return err
		},
	})
}

// Leave leaves the job of a program that has only had sessions, which it has ended.
func Leave(p *abi.Process) {
	if p.RMA != nil && p.State == abi.NotStarted {
		c := abi.Call{Process: p, Function: &p.Functions[0]}
		p.State = abi.Started
		finalize(&c) // the program is at its end: there is nobody to tell
	}
}

// processSet returns the processes of a set that a session knows by its name.
func processSet(c *abi.Call, name int) ([]int32, error) {
	if _, err := c.Session(c.Words[0]); err != nil {
		return nil, err
	}
	text := c.Text(c.Words[name])
	switch slices.IndexFunc(processSets, func(s string) bool { return strings.EqualFold(s, text) }) {
	case 0:
		return c.WorldComm.Processes(), nil
	case 1:
		return c.SelfComm.Processes(), nil
	}
	return nil, abi.Wrong(standard.ErrArg, "no set of processes %q", text)
}

// checkThreadLevel fails if the info of a session asks for a level of threads that there is not.
func checkThreadLevel(c *abi.Call) error {
	if c.Words[0] == standard.InfoNull {
		return nil
	}
	o, err := c.Info(0)
	if err != nil {
		return err
	}
	if level, given := o.Get("thread_level"); given && !slices.Contains(abi.ThreadLevels, level) {
		return abi.Wrong(standard.ErrInfoValue, "thread_level %q; expected one of %s", level, strings.Join(abi.ThreadLevels, ", "))
	} else if level == abi.ThreadLevels[3] && c.State != abi.Finalized {
		c.SetLevel(standard.ThreadMultiple)
	}
	return nil
}
