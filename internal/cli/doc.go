// Package cli is starter: commands for people and programs over two things, a
// store and a Temporal client, each opened only by the commands that need it.
package cli
