// Package multicast checks the multicast forwarding tables of InfiniBand switches: that packets of a group
// neither go round in circles nor get lost, and which end points they reach.
//
// A switch sends a packet of a group to all ports of its entry but that of arrival. So the cables
// of which both ends are in the tables must form a tree: in a circle packets would be copied for
// ever.
package multicast
