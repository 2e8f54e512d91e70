// Package store keeps what campaigns, runs and items leave behind: definitions,
// documents with their versions, checkpoints, the ledger, and the state of runs.
//
// One transaction writes a page and its checkpoint. After a kill of a worker, of this
// process or of the machine, every page is stored once or not at all, and every page
// that a caller got an answer for is stored. Many processes may open one store at the
// same time.
//
// A store is a SQLite file, or a PostgreSQL database for processes on several
// machines. Decisions are shared; an engine only implements reading and writing for
// one database.
//
// One transaction of a process writes at a time, and pages and claims that wait at
// the same moment share it. Methods that read see the state at the moment of the
// call; sequences read a few hundred rows at a time and hold no transaction open in
// between.
package store
