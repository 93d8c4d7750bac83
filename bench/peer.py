#!/usr/bin/env python3
"""Times calls of mpi4py between two ranks, in microseconds, under any MPI:

    musubi launch -n 2 --bind core --label none python3 bench/peer.py
    mpirun -n 2 --bind-to core python3 bench/peer.py
"""

import time

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if size != 2:
    raise SystemExit(f"peer.py: {size} ranks; expected 2")
other = 1 - rank
number, result, block = numpy.zeros(1), numpy.zeros(1), numpy.zeros(8192)
thing = {"a": 1}


def measure(name, once, times=20000):
    for _ in range(times // 10):
        once()
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(times):
        once()
    took = (time.perf_counter() - start) / times * 1e6
    if rank == 0:
        print(f"{name:24s}{took:8.2f}", flush=True)


def to_and_fro(send, receive):
    """There and back: rank 0 begins."""
    if rank == 0:
        send()
        receive()
    else:
        receive()
        send()


def nonblocking():
    request = comm.Irecv(result, other)
    comm.Send(number, other)
    request.Wait()


def nonblocking_objects():
    sent = comm.isend(thing, other)
    comm.irecv(source=other).wait()
    sent.wait()


measure("send, recv", lambda: to_and_fro(lambda: comm.send(thing, other), lambda: comm.recv(source=other)))
measure("Send, Recv 8 B", lambda: to_and_fro(lambda: comm.Send(number, other), lambda: comm.Recv(result, other)))
measure("Send, Recv 64 KiB", lambda: to_and_fro(lambda: comm.Send(block, other), lambda: comm.Recv(block, other)), 5000)
measure("Irecv, Send, Wait 8 B", nonblocking)
measure("isend, irecv, wait", nonblocking_objects)
measure("sendrecv", lambda: comm.sendrecv(thing, other, source=other))
measure("Barrier", comm.Barrier)
measure("Bcast 8 B", lambda: comm.Bcast(number))
measure("bcast", lambda: comm.bcast(thing))
measure("Allreduce 8 B", lambda: comm.Allreduce(number, result))
measure("allreduce", lambda: comm.allreduce(1))
measure("gather", lambda: comm.gather(thing))
measure("allgather", lambda: comm.allgather(thing))
measure("scatter", lambda: comm.scatter([thing] * size if rank == 0 else None))
measure("Scan 8 B", lambda: comm.Scan(number, result))
