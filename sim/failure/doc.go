// Package failure lets links and switches of a simulated network fail, lose a part of their rate, and
// heal while packets are under way.
//
//	event.go      what fails when, as users write it
//	element.go    the links that belong to a switch, a link or a host
//	agenda.go     all changes in the order of time: those that are named, and random ones
//	routes.go     new routes, once it is known what is gone
//	state.go      what is out of service, and what is known of it
//	fabric.go     a fabric in which that happens, and whose end points send again what is lost
//	change.go     what changes in it, and new routes
//	flows.go      long messages as a whole, and trees.go what goes along trees
//	report.go     what has been counted
//
// Changes happen in two steps. First the links of the fabric fail (fabric.Breakable). After the time
// of detection all switches and end points know it, and have routes that avoid what is gone.
//
// End points keep packets until they arrive. A packet that is lost goes again as soon as its timeout is
// over. Acknowledgements are not simulated: the timeout of a packet that is late, but not lost, has
// no effect, so nothing arrives twice. Packets between end points that no path joins wait for one.
package failure
