// Package tcp carries packets between ranks that share no memory: it makes connections, proves who
// is at their other ends, and sends and receives frames.
//
// Each process of a job has an Identity, which an Authority has signed that has the job's key. An
// Acceptor lets in those that prove theirs (TLS 1.3), and turns away, counts and logs all others. Two ranks connect when
// one of them has something for the other for the first time. From then on the rank polls the
// socket, which never blocks, and frames of package wire take the place of records of TLS.
//
// A Stream is the way to one rank and back: it numbers packets, acknowledges them, and hands what
// comes to a Receiver, which the rank implements for each of its peers. Streams are all those of a
// rank. What they send when the rank is in no call they send in the background.
package tcp
