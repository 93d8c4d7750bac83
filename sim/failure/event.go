package failure

import (
	"fmt"
	"strconv"
	"strings"

	"musubi/topology"
	"musubi/units"
)

// Event is something that fails, or loses a part of its rate.
type Event struct {
	What  string // as it was given
	Links []int  // that belong to it, both directions, as in fabric.Fabric.Busy
	Loss  topology.Loss
	Host  int // end point, -1 if it is none
	From  units.Time
	Until units.Time // units.Never: it does not heal
	Share float64    // of the rate that is left; 0: it fails
}

// Form is how Parse expects an event.
const Form = "WHAT@FROM, WHAT@FROM..UNTIL or WHAT@FROM..UNTIL/N, such as s3[2]@10us..50us"

// Parse reads events, with + between them. Each names a switch, a link by a port of a switch (s3[2])
// or a host, and the time at which it fails; behind two dots, when it heals; behind a slash, by how
// much it is slower, in place of failing. ports is the number of ports of each end point.
func Parse(text string, net *topology.Network, ports int) ([]Event, error) {
	var events []Event
	for part := range strings.SplitSeq(text, "+") {
		e, err := parse(strings.TrimSpace(part), net, ports)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
		events = append(events, e)
	}
	return events, nil
}

func parse(text string, net *topology.Network, ports int) (Event, error) {
	at := strings.LastIndex(text, "@")
	if at < 0 {
		return Event{}, fmt.Errorf("no time; expected %s", Form)
	}
	e := Event{What: text[:at], Host: -1, Until: units.Never}
	when, times, slower := strings.Cut(text[at+1:], "/")
	if slower {
		n, err := strconv.ParseFloat(times, 64)
		if err != nil || !(n >= 1 && n <= 1e6) {
			return Event{}, fmt.Errorf("%q behind the slash; expected how many times slower, from 1 to 1e6", times)
		}
		e.Share = 1 / n
	}
	from, until, heals := strings.Cut(when, "..")
	var err error
	if e.From, err = units.ParseTime(from); err != nil {
		return Event{}, fmt.Errorf("%w; expected %s", err, Form)
	}
	if heals {
		if e.Until, err = units.ParseTime(until); err != nil {
			return Event{}, fmt.Errorf("%w; expected %s", err, Form)
		}
	}
	if e.From < 0 || e.Until <= e.From {
		return Event{}, fmt.Errorf("from %v to %v; expected a time from 0 on, and a later one", e.From, e.Until)
	}
	return e, e.find(net, ports)
}
