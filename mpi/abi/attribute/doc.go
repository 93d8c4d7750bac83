// Package attribute has the functions of attributes that programs attach to communicators, windows and datatypes.
package attribute
