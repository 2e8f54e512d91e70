// Package why is `starter why`: why something does not run, or brought nothing.
package why
