package host

import (
	"fmt"
	"strings"
)

// starved explains why ranks are left although no event is.
func (c *Cluster) starved() error {
	if err := c.cut(); err != nil {
		return err
	}
	if d := c.deadlock(); d != nil {
		return d
	}
	var names []string
	for i := range c.Ranks {
		if r := &c.Ranks[i]; r.blocked != "" {
			names = append(names, fmt.Sprintf("rank %d in %s", i, r.waitsIn()))
		}
	}
	err := fmt.Errorf("at %v nothing is under way, but these wait for ever: %s", c.Clock.Now(), JoinSome(names, ", "))
	for _, why := range append(c.waits(), c.unheard()) {
		if why != "" {
			err = fmt.Errorf("%w; %s", err, why)
		}
	}
	return err
}

// Explain implements rma.Explainer.
func (r *Process) Explain(what func() string) { r.explain = what }

// waitsIn says in what call a rank is blocked: in the words of the program, if it has some.
func (r *Process) waitsIn() string {
	if r.explain != nil {
		if text := r.explain(); text != "" {
			return text
		}
	}
	return r.blocked
}

// cut returns which packets wait for something that has failed for good, if any do.
func (c *Cluster) cut() error {
	if c.failures == nil {
		return nil
	}
	return c.failures.Cut()
}

// deadlock returns why packets cannot leave the network, unless that is because
// receive rings are full, or what takes notices.
func (c *Cluster) deadlock() error {
	if c.Fabric == nil {
		return nil
	}
	if d := c.Fabric.Stuck(); d != nil && (len(d.Cycle) > 0 || c.FullRings() == "" && c.blocked() == "") {
		return d
	}
	return nil
}

// some joins names, but not more than one cares to read.
func JoinSome(names []string, separator string) string {
	const shown = 4
	if len(names) <= shown {
		return strings.Join(names, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], separator), len(names)-shown)
}

// conserved checks at the end of a run that nothing was lost or made up, nor is
// left in a deadlock or before a full ring.
func (c *Cluster) conserved() error {
	if c.Clock.Len() != 0 {
		return fmt.Errorf("sim: %d events are left at the end of a run", c.Clock.Len())
	}
	if err := c.cut(); err != nil {
		return err
	}
	if d := c.deadlock(); d != nil {
		return d
	}
	for _, left := range append(c.waits(), c.incomplete()) {
		if left != "" {
			return fmt.Errorf("at %v all ranks have returned, but %s", c.Clock.Now(), left)
		}
	}
	if c.Fabric == nil {
		return nil
	}
	if m, ok := c.Model.(Conserver); ok {
		if err := m.Conserved(); err != nil {
			return err
		}
	}
	return c.Fabric.Conserved()
}

// waits says what waits for programs to do something; each text may be empty.
func (c *Cluster) waits() []string {
	why := []string{c.FullRings(), c.blocked()}
	if c.waiter != nil {
		why = append(why, c.waiter.Waits()...)
	}
	return why
}

// blocked says which packets a model leaves in the fabric; empty if it leaves none.
func (c *Cluster) blocked() string {
	if c.blocker == nil {
		return ""
	}
	return c.blocker.Blocked()
}

// incomplete tells of a rank of which operations are not complete; empty if there is none.
func (c *Cluster) incomplete() string {
	for i := range c.Ranks {
		if n := c.Ranks[i].fences.Outstanding(); n != 0 {
			return fmt.Sprintf("%d operations of rank %d are not complete", n, i)
		}
	}
	return ""
}
