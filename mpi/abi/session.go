package abi

import (
	"slices"
	"strconv"
	"strings"

	"musubi/mpi/abi/standard"
)

// session is a session of the program.
type session struct{ handled }

// processSets are the sets of processes that sessions know.
var processSets = []string{"mpi://WORLD", "mpi://SELF"}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Session_init": func(c *call) error {
			c.on = &handled{errhandler: c.a[1]}
			if err := c.checkThreadLevel(); err != nil {
				return err
			}
			if err := c.joinWorld(); err != nil {
				return err
			}
			if c.state == notStarted {
				c.state = started // its functions may be used from now on
				c.onlySessions = true
			}
			c.openSessions++
			s := &session{}
			s.errhandler = c.a[1]
			c.useErrhandler(s.errhandler)
			s.handle = c.sessions.Add(s)
			c.putWord(c.a[2], s.handle)
			return nil
		},
		"MPI_Session_finalize": func(c *call) error {
			s, err := c.session(c.word(c.a[0]))
			if err != nil {
				return err
			}
			c.unuseErrhandler(s.errhandler)
			c.sessions.Remove(s.handle)
			c.putWord(c.a[0], standard.SessionNull)
			if c.openSessions--; c.openSessions == 0 && c.onlySessions {
				c.state = notStarted
			}
			return nil
		},
		"MPI_Session_get_num_psets": func(c *call) error {
			_, err := c.session(c.a[0])
			if err == nil {
				c.putInt(c.a[2], len(processSets))
			}
			return err
		},
		"MPI_Session_get_nth_pset": func(c *call) error {
			if _, err := c.session(c.a[0]); err != nil {
				return err
			}
			n := c.at(2)
			if n < 0 || n >= len(processSets) {
				return wrong(standard.ErrArg, "set of processes %d of %d", n, len(processSets))
			}
			if room := c.int(c.a[3]); room > 0 {
				c.putText(c.a[4], processSets[n], room)
			}
			c.putInt(c.a[3], len(processSets[n])+1)
			return nil
		},
		"MPI_Session_get_pset_info": func(c *call) error {
			g, err := c.processSet(1)
			if err == nil {
				c.putWord(c.a[2], c.infos.Add(&info{[]string{"mpi_size"}, []string{strconv.Itoa(len(g))}}))
			}
			return err
		},
		"MPI_Session_get_info": func(c *call) error {
			_, err := c.session(c.a[0])
			if err == nil {
				c.putWord(c.a[1], c.infos.Add(&info{[]string{"thread_level"}, []string{c.levelName()}}))
			}
			return err
		},
		"MPI_Group_from_session_pset": func(c *call) error {
			g, err := c.processSet(1)
			if err == nil {
				c.putWord(c.a[2], c.newGroup(g))
			}
			return err
		},
	})
}

// Leave leaves the job of a program that has only had sessions, which it has ended.
func (p *Process) Leave() {
	if p.rma != nil && p.state == notStarted {
		c := call{Process: p, function: &p.functions[0]}
		p.state = started
		c.finalize() // the program is at its end: there is nobody to tell
	}
}

func (c *call) session(h int64) (*session, error) {
	s := c.sessions.Get(h)
	if s == nil {
		return nil, wrong(standard.ErrSession, "%#x is no session", h)
	}
	c.on = &s.handled
	return s, nil
}

// processSet returns the processes of a set that a session knows by its name.
func (c *call) processSet(name int) ([]int32, error) {
	if _, err := c.session(c.a[0]); err != nil {
		return nil, err
	}
	text := c.text(c.a[name])
	switch slices.IndexFunc(processSets, func(s string) bool { return strings.EqualFold(s, text) }) {
	case 0:
		return c.worldComm.processes(), nil
	case 1:
		return c.selfComm.processes(), nil
	}
	return nil, wrong(standard.ErrArg, "no set of processes %q", text)
}

// threadLevels are the levels that the info of a session may ask for.
var threadLevels = []string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}

// checkThreadLevel fails if the info of a session asks for a level of threads that there is not.
func (c *call) checkThreadLevel() error {
	if c.a[0] == standard.InfoNull {
		return nil
	}
	o, err := c.info(0)
	if err != nil {
		return err
	}
	if level, given := o.get("thread_level"); given && !slices.Contains(threadLevels, level) {
		return wrong(standard.ErrInfoValue, "thread_level %q; expected one of %s", level, strings.Join(threadLevels, ", "))
	} else if level == threadLevels[3] && c.state != finalized {
		c.setLevel(standard.ThreadMultiple)
	}
	return nil
}

// levelName returns what the threads of a session may do.
func (p *Process) levelName() string {
	if p.threads != nil {
		return threadLevels[3]
	}
	return threadLevels[2]
}
