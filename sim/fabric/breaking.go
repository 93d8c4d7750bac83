package fabric

import (
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/units"
)

// Lost: a packet has been lost, because a link has failed (see Breakable). Its number is free again.
const Lost uint32 = 19

// Breakable is a fabric whose links can fail, if Config.Breaks says so. Links are those of Busy.
//
// A link that fails loses the packets whose tails have not come to its end. The switch there
// discards what it has of such a packet when it looks at it next, and frees its room. Switches
// discard packets that want a link that has failed, as InfiniBand switches do for ports that are
// down, so that nobody waits for it. Lost comes up for each packet, once its tail has passed all that
// it has taken. Packets on trees (see Multicaster) are not lost: they wait for the link to heal.
type Breakable interface {
	Fabric
	// Fail takes a link out of service, and Heal puts it into service again.
	Fail(link int)
	Heal(link int)
	// Degrade lets a link carry a share of its rate, above 0 and at most 1, from the next packet on.
	Degrade(link int, share float64)
	// Reroute gives new routes to packets that have not left their sources. Others keep their paths. A
	// scheme takes the place of routes, for all packets that choose; nil: new packets do not choose.
	Reroute(routes *routing.Routes, choice adaptive.Scheme)
	// Flush loses all packets that are on their way and have switches before them.
	Flush()
}

// BreakableFlows is a Breakable that carries long messages as a whole. A message goes on into a link that has
// failed until its last packet has left the source, or the link heals, or there are other routes. Then Lost
// comes up for it, unless all of its packets have arrived or others wait at the source: those take new
// routes, and go on where links heal. Messages that switches combine are not lost: they wait for the
// link to heal.
type BreakableFlows interface {
	Breakable
	Bulker
	Combiner
	// Loss says what a message has lost for which Lost has come up, and frees its number.
	Loss(bulk uint32) Loss
}

// Loss is what a long message has lost.
type Loss struct {
	Packets int        // that went into a link that had failed
	Left    int        // these, and those that have not left the source
	Since   units.Time // when the first of them was lost
}
