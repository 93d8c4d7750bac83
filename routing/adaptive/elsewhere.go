package adaptive

import "musubi/topology"

// On returns a scheme of a network that has lost links as one of the whole network, whose switches and end points have the
// same numbers.
func On(whole *topology.Network, left Scheme) Scheme {
	at := make(map[topology.Port]int32)
	for c := range int32(whole.Channels()) {
		at[whole.From(int(c))] = c
	}
	e := &elsewhere{Scheme: left, net: whole}
	for c := range left.Network().Channels() {
		e.channel = append(e.channel, at[left.Network().From(c)])
	}
	e.view.channel = e.channel
	return e
}

// elsewhere is a scheme of another network.
type elsewhere struct {
	Scheme
	net     *topology.Network
	channel []int32 // by channel of the other network
	view    viewElsewhere
}

func (e *elsewhere) Network() *topology.Network { return e.net }

func (e *elsewhere) Moves(list []Move, sw, to int, state int32) []Move {
	first := len(list)
	list = e.Scheme.Moves(list, sw, to, state)
	for i := range list[first:] {
		list[first+i].Channel = e.channel[list[first+i].Channel]
	}
	return list
}

func (e *elsewhere) Choose(v View, p Packet, sw int) Move {
	e.view.View = v
	m := e.Scheme.Choose(&e.view, p, sw)
	m.Channel = e.channel[m.Channel]
	return m
}

// viewElsewhere shows queues by the numbers of the other network.
type viewElsewhere struct {
	View
	channel []int32
}

func (v *viewElsewhere) Queue(channel int) int     { return v.View.Queue(int(v.channel[channel])) }
func (v *viewElsewhere) Lane(channel, vc int) int  { return v.View.Lane(int(v.channel[channel]), vc) }
func (v *viewElsewhere) Free(channel, vc int) bool { return v.View.Free(int(v.channel[channel]), vc) }
