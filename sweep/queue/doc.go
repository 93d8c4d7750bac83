// Package queue carries the runs of a sweep out on many computers, by a NATS server with JetStream.
//
// A task waits in a stream until a worker acknowledges it, and its result stays in another. Both name
// the run by its key, and hold one message for each key. So all that happens twice is without effect:
// a task that is submitted again is refused while it waits; a worker that gets a task whose result
// exists acknowledges it without work; a second result is refused. A worker that dies leaves its task
// unacknowledged, and after a while another one gets it. What is lost on the way to a server that
// restarts is sent again.
//
// Streams belong to a version of the program: workers of another one do not see its tasks.
package queue
