// Package job starts the processes of a live job, and makes processes that were started its ranks.
//
// A job is placed on hosts in groups, each of which shares memory and has a parent on its host. The
// launcher is the parent of those on its own host; on others an agent is, which it starts by ssh.
// Parents start ranks, pass on what they write, find out how they end, and kill those that do not
// end in time. When a parent ends, however it does, its ranks are killed.
//
// Where mpirun of Open MPI, mpiexec of MPICH, srun, or variables of the environment have started the
// processes, rank 0 has the hub, and the ranks of a host share memory that the first of them has
// made. They find each other by PMI, over a socket of their host, or by variables; see
// docs/launching.md.
//
// A running job tells all processes of its user what its ranks do (Jobs).
package job
