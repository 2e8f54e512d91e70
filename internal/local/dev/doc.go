// Package dev runs everything on one machine, as processes of their own: the
// Temporal development server with its Web UI, and workers. `starter dev`, the
// demo and the end-to-end tests stand on it.
package dev
