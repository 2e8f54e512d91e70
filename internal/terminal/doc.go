// Package terminal keeps foreign text from steering the terminal that it is
// written to, and knows which streams are terminals. It has no state of its own;
// a Screen may be used by many goroutines at once.
package terminal
