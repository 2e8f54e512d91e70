// Package gazzetta is a faithful local copy of the web site of the Gazzetta
// Ufficiale: years of issues of all series, made on demand and the same every
// time, with its pages, feeds, PDFs and sessions, its traps and, when asked for,
// its faults. It knows what it holds and what it was asked for.
//
// It is an http.Handler for any host; it needs no network.
package gazzetta
