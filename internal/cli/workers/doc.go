// Package workers is `starter workers`: who takes work, what each of them does, and
// who is to take no more.
package workers
