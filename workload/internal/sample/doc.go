// Package sample makes figures of what a workload has measured several times.
package sample
