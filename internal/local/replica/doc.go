// Package replica holds faithful local copies of the sources, with faults on
// demand: what tests, benchmarks and the demo harvest instead of the world.
//
// Feeds is a house of news feeds: every format and charset, many hosts, entries
// that grow when told to, and books of what was asked and what it holds. The
// same Config gives the same bytes, on every machine and at every start.
package replica
