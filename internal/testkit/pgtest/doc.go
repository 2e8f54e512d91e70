// Package pgtest gives tests a PostgreSQL cluster of their own, made from the
// server's binaries on this machine and gone when the test process is.
package pgtest
