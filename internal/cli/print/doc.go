// Package print writes what commands have to say: text for people, or JSON for
// programs, never both on one stream.
package print
