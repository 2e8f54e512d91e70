// Package vendemmia holds no code; it says where to begin. Who writes a source reads
// package harvest, who builds a program with sources of its own reads package app, and
// docs/architecture.md has the floors of the rest.
package vendemmia
