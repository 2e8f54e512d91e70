// Package store keeps what campaigns, runs and items leave behind: definitions,
// documents with their versions, checkpoints, the ledger, and the state of runs.
//
// A page and its checkpoint are one transaction, so after any kill of a worker,
// of this process or of the machine every page is stored once or not at all, and
// what was answered is there. Many processes may open one store at the same
// time.
//
// A store is a SQLite file, or a PostgreSQL database for processes on several
// machines. What is decided is the same for both and stands once; an engine says
// how it is read and written.
//
// A method that writes waits for its turn: one transaction of this process writes
// at a time, and pages and claims that wait at the same moment share it. Methods that read see
// what was committed when they were called; sequences read a few hundred rows at
// a time and hold nothing open in between.
package store
