package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/units"
)

// migration is a process that goes to another host during a run.
type migration struct {
	rank int
	at   units.Time
	host int
}

type migrations struct {
	m     *memoryBased
	moves []migration
}

// planMoves has the ranks move that the conditions name.
func (plan *migrations) planMoves() error {
	moves, err := plan.m.Conditions.moves()
	if err != nil {
		return err
	}
	for i, move := range moves {
		switch {
		case move.rank >= len(plan.m.Ranks):
			return fmt.Errorf("conditions.migrations names rank %d; there are ranks 0 to %d", move.rank, len(plan.m.Ranks)-1)
		case move.host >= len(plan.m.stations):
			return fmt.Errorf("conditions.migrations names host %d; there are hosts 0 to %d", move.host, len(plan.m.stations)-1)
		}
		plan.m.Clock.Push(engine.Event{At: move.at, Kind: evMove, A: uint32(i)})
	}
	plan.moves, plan.m.confirmsAll = moves, len(moves) > 0
	return nil
}

// move lets a process go to another station, as soon as nothing is under way any more that
// could be overtaken on the way there, and what its interface has begun is done.
func (plan *migrations) move(number uint32) {
	to := plan.moves[number]
	p, s := &plan.m.residents.processes[to.rank], &plan.m.stations[to.host]
	switch {
	case plan.m.Ranks[to.rank].Done || int(p.at) == to.host:
		return
	case p.astray > 0 || p.old > 0 || p.frozen > plan.m.Clock.Now():
		plan.m.Clock.Push(engine.Event{At: plan.m.Clock.Now() + plan.m.OS.Migrate + units.Microsecond, Kind: evMove, A: number})
		return
	case len(s.ranks) > 0:
		plan.m.Fail(fmt.Errorf("conditions.migrations: rank %d cannot move to host %d, where rank %d runs", to.rank, to.host, s.ranks[0]))
		return
	}
	if from := &plan.m.stations[p.at]; from.executor.accesses > 0 {
		from.executor.leaves, from.executor.move = true, number
		return
	}
	plan.m.use.Migrations++
	from := &plan.m.stations[p.at]
	plan.leave(p, to)
	p.at = int32(to.host)
	plan.m.residents.arrives(int32(to.rank))
	from.receiver.retry()
}

// leave stops a process and takes it away from its station, with its memory. Its
// operations that are under way go on there.
func (plan *migrations) leave(p *resident, to migration) {
	from := &plan.m.stations[p.at]
	now := plan.m.Clock.Now()
	stopped := from.system.occupy(plan.m.OS.Migrate)
	memory := units.Bytes(plan.m.Ranks[to.rank].Exposed)
	p.frozen = stopped + plan.m.Machine.Bus.Rate.Transfer(memory) + plan.m.Machine.Bus.Setup*units.Time(from.bus.Bursts(int(memory), 1))
	plan.m.Processors[to.rank].Lose(now, max(p.frozen, plan.m.stations[to.host].system.free))
	p.astray = p.underway
	p.old, p.moves = p.open, p.moves+1
	from.ranks = slices.DeleteFunc(from.ranks, func(r int32) bool { return int(r) == to.rank })
	if err := from.check.accessGate.Leave(p.id.Process, uint16(to.rank)); err != nil {
		panic(err) // it lives there
	}
	if int(from.check.scheduled) == to.rank {
		from.check.scheduled = none
	}
}

// tellMoved tells the interface that has sent a request that its route is stale.
func (plan *migrations) tellMoved(f *frame) {
	number, moved := plan.m.frames.back(f, mbc.Moved, 0)
	if f.h.Type == mbc.Chain && f.from != moved.from {
		moved.to = f.from
		moved.h.Route = plan.m.paths.stepsBack(moved.h.Route[:0], moved.from, moved.to)
		plan.m.frames.measure(moved)
	}
	plan.m.reply(number)
}
