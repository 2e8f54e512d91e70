// Package demo shows everything on one machine: it applies and triggers
// campaigns over replica sources, kills the worker in the middle, and counts
// what the store holds against what the sources hold.
package demo
