// Package scaffold writes the files of a new fetcher: into a checkout of this
// program, or as a repository of its own on package app. It writes all of them or
// none.
package scaffold
