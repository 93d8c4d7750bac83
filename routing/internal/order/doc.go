// Package order numbers turns and keeps an order of channels while dependencies between them are added and taken
// back, so that a cycle is seen at once.
package order
