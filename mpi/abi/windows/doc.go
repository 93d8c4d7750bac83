// Package windows has the functions of windows and accesses of memory of other ranks.
package windows
