// Package oai is a faithful local OAI-PMH 2.0 repository of any size, with
// faults on demand: what tests, benchmarks and the demo harvest instead of the
// world.
//
// A record is a function of the seed and its number, so a million of them cost
// no memory; only what was changed since the start is kept. The same Config
// gives the same bytes. The clock stands still until it is moved.
//
// A Fault is chosen in three ways: by set ("fault:NAME" or "fault:NAME:N", as
// in set=fault:cut-stream:250, for the list asked for so), by base URL
// (FaultURL, for every verb), and by call (Break, BreakNext, Config.Fault).
package oai
