// Package survey asks many addresses what they are, politely and at once, and
// tells what is wrong with which.
package survey
