package routing

import "musubi/topology"

// A direction is the direction of a channel in a drawing of a spanning tree with the root on top: x
// is the preorder number and y the level of a switch.
type direction uint8

// The six directions of the 2D turn model.
const (
	leftUp direction = iota
	leftDown
	rightUp
	rightDown
	left
	right
	directions
)

// directionSet is a set of directions.
type directionSet uint8

func setOf(ds ...direction) directionSet {
	var s directionSet
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

func (s directionSet) has(d direction) bool { return s>>d&1 == 1 }

// turnSet holds, for each direction, the directions that a packet may not take next. Going straight
// on needs no rule: a direction never leads in a circle.
type turnSet [directions]directionSet

// lTurns forbid every turn into left-up or left from another direction, and
// every turn out of right-up. So a packet goes left-up and left as long as it
// likes, then left-down, right-down and right, then right-up; within each of
// these phases no cycle can close.
var lTurns = turnSet{
	leftDown:  setOf(leftUp, left),
	rightDown: setOf(leftUp, left),
	right:     setOf(leftUp, left),
	rightUp:   setOf(leftUp, left, leftDown, rightDown, right),
}

// rTurns forbid every turn out of right-down or right into another direction,
// and every turn into left-down. So a packet goes left-down, then left-up, left
// and right-up, then right-down and right.
var rTurns = turnSet{
	leftUp:    setOf(leftDown),
	left:      setOf(leftDown),
	rightUp:   setOf(leftDown),
	rightDown: setOf(leftUp, left, rightUp, leftDown),
	right:     setOf(leftUp, left, rightUp, leftDown),
}

// lrTurns forbid every turn from a direction to the right into one to the left.
// So a packet goes left, then right: x falls, then rises.
var lrTurns = turnSet{
	rightUp:   setOf(leftUp, left, leftDown),
	rightDown: setOf(leftUp, left, leftDown),
	right:     setOf(leftUp, left, leftDown),
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
func without(forbidden *turnSet) func(*topology.Network, Options) (*Routes, error) {
	return func(net *topology.Network, opt Options) (*Routes, error) { return buildTurn(net, opt, forbidden) }
}

func buildTurn(net *topology.Network, opt Options, forbidden *turnSet) (*Routes, error) {
	t, err := spanningTree(net, opt)
	if err != nil {
		return nil, err
	}
	m := newTurnModel(t, forbidden)
	m.releaseRedundant()
	p := &plan{net: net, opt: opt}
	if opt.DestinationOnly {
		p.guide = m.destinationGuide()
	} else {
		p.guide = m.automaton()
	}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return p.build()
}
