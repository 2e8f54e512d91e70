// Package e2e holds the end-to-end tests: the real binaries, the real Temporal
// development server on a file, a real store and a real source over HTTP, with
// processes killed in the middle. It has no code of its own.
package e2e
