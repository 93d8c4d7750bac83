package main

import (
	"slices"
	"strings"
)

// longCommands take a tenth of a second and more; each is told by how it begins.
var longCommands = []string{
	"compare --size 16 --topology fattree,torus:4x4 --prices ",
	"reproduce ",
	"route --topology torus:8x8 --routing adaptive,ugal",
	"run atomics --on ndr -n 16 --set by=all ",
	"run barrier --on rhinet2 --topology mesh:4x4 --routing dl",
	"run barrier --on rhinet2 --topology torus:4x4 --routing lash",
	"run botf --on dimmnet2 --set windows=1 --set cache=warm,cold --set bytes=8..496",
	"run botf --on dimmnet2 --set windows=1..2 --set bytes=8..1488:8",
	"run botf --on dimmnet2 --set windows=1..4 ",
	"run collective --on loggp -n 16 --set operation=allgather",
	"run collective --on ndr --topology fattree:k=4 --routing updown,ecmp,spray,adaptive ",
	"run collective --on ndr --topology fattree:k=4 -n 16 --set operation=alltoall",
	"run collective --on ndr --topology fattree:k=8,dragonfly:a=8,h=4,p=4,torus:8x16 ",
	"run collective --on ndr -n 16,64 --set operation=barrier ",
	"run collective --on rhinet2 --routing updown,dl --set operation=alltoall ",
	"run collective --on ssscore -n 8 --set operation=broadcast,allreduce --set conditions.errors=",
	"run halo --on dimmnet2 -n 8 --set calls=messages ",
	"run halo --on dimmnet2-match -n 8 --set calls=messages ",
	"run halo --on ndr -n 8",
	"run halo --on tofu2 --topology tofu:3x1x1x2x3x2 --place block:2 ",
	"run halo --on tofu2 --topology tofu:4x4x1x1x1x1 --set stencil=2d",
	"run layouts --on dimmnet2 --set element=1,8,64 ",
	"run layouts --on dimmnet2 --set side=remote ",
	"run nas --on dimmnet2 --topology fullmesh:1 --hosts 64 ",
	"run nas --on rhinet2 -n 16 --set kernel=mg",
	"run nccl --on ndr8 --engine flow --topology fattree:k=8,dragonfly:a=8,h=4,p=4,g=4,",
	"run nccl --on ndr8 --engine flow --topology rail:nodes=16,rail:nodes=16,over=4 ",
	"run nccl --on ndr8 --engine flow --topology rail:nodes=4 -n 32 --set operation=alltoall --set bytes=4MiB --set skew=",
	"run nccl --on ndr8 --topology dragonfly:a=8,h=4,p=4,g=4 ",
	"run nccl --on nvl72 -n 72 --set operation=alltoall ",
	"run pattern --on examples/dragonfly/booksim.toml --routing ugal ",
	"run pattern --on iqrouter --topology mesh:4x4 --set load=0.1..0.7:0.1 ",
	"run pattern --on iqrouter --topology mesh:4x4 --set load=0.2,0.4,0.6,0.8 ",
	"run pattern --on iqrouter --topology torus:4x4 --routing minimal --set switch.vcs=1 --set load=0.6 ",
	"run pattern --on ndr --topology fattree:k=4 --set loop=open ",
	"run pattern --on rhinet2 --topology rhinet2-a --routing updown --set loop=closed,open ",
	"run pattern --on rhinet2 --topology rhinet2-b --routing lash ",
	"run pattern --on rhinet2 --topology torus:4x4 --routing minimal --set loop=open ",
	"run pattern --on rhinet2 --topology torus:4x4 --routing reduced-sbp ",
	"run pattern --on rhinet2 --topology torus:4x4 --routing sbp ",
	"run pattern --on ssscore --set loop=open ",
	"run pattern --on tofu2 --topology tofu:2x2x2x2x3x2 --routing tofu --set loop=open ",
	"run pingpong --on dimmnet2 --set bytes=8,64,512,4KiB,32KiB,512KiB --set copy=",
	"run pingpong --on iqrouter --topology mesh:4x4",
	"run stream --on ndr --set bytes=64KiB,64MiB ",
	"run train --on ndr --engine flow --topology fattree:k=8,dragonfly:a=4,h=2,p=2,torus:4x4x4 ",
	"run train --on ndr8 --engine flow --topology dragonfly:a=8,h=4,p=4,g=4 ",
	"run train --on ndr8 --engine flow --topology fattree:k=8,dragonfly:a=8,h=4,p=4,g=4,rail:",
	"tune --on ndr -n 4,8,16 ",
}

// isLeftOut reports whether a test leaves a command out: with -long those that take little,
// without it those that do. With -update none is.
func isLeftOut(command string) bool {
	takesSeconds := slices.ContainsFunc(longCommands, func(begin string) bool { return strings.HasPrefix(command, begin) })
	return !*update && takesSeconds != *long
}
