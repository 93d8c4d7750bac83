package mpi

import "reflect"

// Returned returns how many requests of calls that have returned are kept to be used again.
func Returned(c *Comm) int {
	return reflect.ValueOf(c.comm.Engine).Elem().FieldByName("spare").FieldByName("requests").Len()
}
