// Package loggp models machines without a network, model "loggp": a formula says how long a
// message takes.
//
// In LogGP (Alexandrov et al. 1995) a message of n bytes costs its sender the
// overhead o, occupies the sender's interface for g + (n-1)G, arrives L +
// (n-1)G after it began to leave, occupies the receiver's interface likewise and
// costs the receiver o. The answer to a PULL is such a message, its question one
// of a single byte; neither costs the target's processor anything. Knowledge of
// completion travels back in L.
//
// There are no packets. An IPUSH is appended to its ring in pieces of 4 KiB when its turn at the receiver's
// interface has come. Each takes ring.manage more. If there is no room for one, the
// message keeps the interface until there is.
package loggp
