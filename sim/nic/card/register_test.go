package card

import "musubi/sim/host"

func init() { host.Register(Entry) }
