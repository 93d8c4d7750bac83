// Package pointtopoint has the functions of messages between two ranks, requests, buffers and partitions.
package pointtopoint
