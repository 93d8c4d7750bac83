package host

import "musubi/units"

// Stage is a step on the way of a message, as it happened.
type Stage struct {
	Path   string
	Step   string
	Clocks int // of a card's controller; -1 if it is not counted in clocks
	Time   units.Time
}

// oneWay is the path of a whole message, from one program to the other.
const OneWay = "pingpong"

// Tell reports a stage to whoever wants to know.
func (c *Env) Tell(path, step string, clocks int, t units.Time) {
	if c.Stages != nil {
		c.Stages(Stage{path, step, clocks, t})
	}
}

// TellTime reports a stage of the way of a message that is not counted in clocks.
func (c *Env) TellTime(step string, t units.Time) { c.Tell(OneWay, step, -1, t) }
