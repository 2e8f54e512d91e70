// Package program is one invocation of starter: its streams, flags and settings, the store and the Temporal client that
// commands open, and what every command shares.
package program
