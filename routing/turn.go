package routing

import (
	"musubi/routing/internal/turns"
	"musubi/topology"
)

// lTurns forbid every turn into left-up or left from another direction, and
// every turn out of right-up. So a packet goes left-up and left as long as it
// likes, then left-down, right-down and right, then right-up; within each of
// these phases no cycle can close.
var lTurns = turns.Set{
	turns.LeftDown:  turns.Of(turns.LeftUp, turns.Left),
	turns.RightDown: turns.Of(turns.LeftUp, turns.Left),
	turns.Right:     turns.Of(turns.LeftUp, turns.Left),
	turns.RightUp:   turns.Of(turns.LeftUp, turns.Left, turns.LeftDown, turns.RightDown, turns.Right),
}

// rTurns forbid every turn out of right-down or right into another direction,
// and every turn into left-down. So a packet goes left-down, then left-up, left
// and right-up, then right-down and right.
var rTurns = turns.Set{
	turns.LeftUp:    turns.Of(turns.LeftDown),
	turns.Left:      turns.Of(turns.LeftDown),
	turns.RightUp:   turns.Of(turns.LeftDown),
	turns.RightDown: turns.Of(turns.LeftUp, turns.Left, turns.RightUp, turns.LeftDown),
	turns.Right:     turns.Of(turns.LeftUp, turns.Left, turns.RightUp, turns.LeftDown),
}

// lrTurns forbid every turn from a direction to the right into one to the left.
// So a packet goes left, then right: x falls, then rises.
var lrTurns = turns.Set{
	turns.RightUp:   turns.Of(turns.LeftUp, turns.Left, turns.LeftDown),
	turns.RightDown: turns.Of(turns.LeftUp, turns.Left, turns.LeftDown),
	turns.Right:     turns.Of(turns.LeftUp, turns.Left, turns.LeftDown),
}

// lTurnRouting is L-turn routing (Jouraku, Koibuchi, Amano: "An Effective Design of
// Deadlock-Free Routing Algorithms Based on 2D Turn Model for Irregular
// Networks", IEEE TPDS 2007; first as Koibuchi et al., ICPP 2001). The set of
// turns is not the papers' own but one of their kind, which tests prove.
var lTurnRouting = Algorithm{
	Name:    "l-turn",
	Summary: "2D turn model: left-up first, right-up last",
	Source:  "Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
	keepsVC: true,
	onTree:  true,
	build:   without(&lTurns),
}

// rTurnRouting is R-turn routing, the mirror image of L-turn.
var rTurnRouting = Algorithm{
	Name:    "r-turn",
	Summary: "2D turn model: left-down first, right-down last",
	Source:  "Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
	keepsVC: true,
	onTree:  true,
	build:   without(&rTurns),
}

// lrTurnRouting is Left/Right routing, the 2D turn model that looks at x alone.
var lrTurnRouting = Algorithm{
	Name:    "lr-turn",
	Summary: "2D turn model: left first, right last",
	Source:  "after Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
	keepsVC: true,
	onTree:  true,
	build:   without(&lrTurns),
}

// without returns a builder of routes that make none of the forbidden turns.
func without(forbidden *turns.Set) func(*topology.Network, Options) (*Routes, error) {
	return func(net *topology.Network, opt Options) (*Routes, error) { return buildTurn(net, opt, forbidden) }
}

func buildTurn(net *topology.Network, opt Options, forbidden *turns.Set) (*Routes, error) {
	t, err := spanningTree(net, opt)
	if err != nil {
		return nil, err
	}
	m := turns.New(t, forbidden)
	m.ReleaseRedundant()
	p := &plan{net: net, opt: opt}
	if opt.DestinationOnly {
		p.guide = m.DestinationGuide()
	} else {
		p.guide = m.Automaton()
	}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return p.build()
}
