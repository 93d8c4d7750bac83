package abi

// win is a window of the program.
type win struct {
	handled
	attributes attributes
}

func (c *call) win(i int) (*win, error) {
	w := c.wins.get(c.a[i])
	if w == nil {
		return nil, wrong(cErrWin, "%#x is no window", c.a[i])
	}
	c.on = &w.handled
	return w, nil
}

func (c *call) winAttribute(int) (int64, bool) { return 0, false }
