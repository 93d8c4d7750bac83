// Package roce has the tables of Ethernet fabrics that carry RDMA (RoCE): sets of next hops by
// destination, and traffic classes of which some are lossless (priority flow control, PFC).
//
// [Tables] are such tables for all switches of a network, as [nexthop.Rules]. ReadPlain reads
// them in a form of Musubi's own, ReadFRR as FRRouting prints routes, and ReadSONiC
// from the databases of SONiC switches, which also tell of flow control.
package roce
