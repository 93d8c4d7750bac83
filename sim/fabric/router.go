package fabric

// Router holds the parameters of the flit engine's switches. Delays are in
// cycles; a cycle is the time of one flit on a link.
type Router struct {
}
