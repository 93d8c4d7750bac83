package turns

// A direction is the direction of a channel in a drawing of a spanning tree with the root on top: x
// is the preorder number and y the level of a switch.
type direction uint8

// The six directions of the 2D turn model.
const (
	LeftUp direction = iota
	LeftDown
	RightUp
	RightDown
	Left
	Right
	NumDirections
)

// Directions is a set of directions.
type Directions uint8

// Of returns the set of these directions.
func Of(ds ...direction) Directions {
	var s Directions
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

func (s Directions) has(d direction) bool { return s>>d&1 == 1 }

// Set holds, for each direction, the directions that a packet may not take next. Going straight
// on needs no rule: a direction never leads in a circle.
type Set [NumDirections]Directions
