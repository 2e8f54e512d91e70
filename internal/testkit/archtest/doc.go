// Package archtest holds tests that keep the house in shape: who may import
// whom, a contract on every package, the list of fetchers, no init, no file
// that has grown past reading. It has no code of its own.
package archtest
