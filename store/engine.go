package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// engine is the database under a store: all that SQLite and PostgreSQL do
// differently. What is decided about runs, claims and pages stands above it and
// is the same for both.
type engine interface {
	// address is printable, without a password, and opens the same database
	// again.
	address() string
	// open makes or migrates the schema, where that is allowed, and connects.
	open(ctx context.Context) error
	close() error
	// integrity looks whether the database is as it was written.
	integrity(ctx context.Context, c *rows.Check) error
	// bucket is where large bodies are kept.
	bucket() bucket

	// read runs a query on one of the reading connections; it sees what was
	// committed when it began.
	read(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// transact runs fn in a transaction: all of it happens, or nothing. It needs
	// the turn, waits as long as ctx allows, and may call fn more than once; only
	// what the last call did is there.
	transact(ctx context.Context, beside beside, fn func(*tx) error) error
	// lull is how long nothing must come before a group of those that came during
	// the last transaction is begun with; 0: it does not wait.
	lull() time.Duration
	// sink is where the writes of one transaction put their rows.
	sink(t *tx) sink

	// probe finds documents of one page or of many; unknown ones are left out.
	probe(q querier, documents []document) (map[docName]*docState, error)
	// items finds the numbers of items by name, as far as they have one.
	items(t *tx, campaign string, names [][2]string) ([]knownItem, error)
	// newItems gives numbers to items that have none, and addItems puts items
	// into a run; what is there already stays.
	newItems(t *tx, list []newItem) ([]int64, error)
	addItems(t *tx, list []addedItem) (int64, error)
	// locked makes a query lock the rows of a table that it finds, where others
	// write at the same time.
	locked(query, table string) string
	// timed is a query with the database's clock, in microseconds, for {now}.
	timed(query string) string
	// jsonNumber is the SQL of a number in a column of JSON text.
	jsonNumber(column, key string) string
}

// beside says what may write at the same time as a transaction, where the
// database lets several write at once.
type beside int

const (
	besideNone   beside = iota // it decides about runs: nothing else
	besideOthers               // it decides by the rows it locks
)

// sink takes the rows of a batch. Row by row or all at the end is its own
// affair.
type sink interface {
	// begin reads what the writes of a batch need at once. It returns the number
	// after which changes are counted.
	begin(batch []*job) (before int64, err error)
	// run and held return what begin read of runs and items; held knows the
	// counters. found is false for what is not there.
	run(id int64) (liveRun, error)
	held(p place) (h *heldItem, found bool, err error)
	// loaded is a document as begin read it or this transaction left it, nil for
	// none; again looks anew, once it turned out to be different.
	loaded(name docName) *docState
	again(d *document) (*docState, error)

	// moveCheckpoint is refused (false) when the version is not the expected one.
	moveCheckpoint(m checkpointMove) (bool, error)
	// point makes a version the current one, if the one before is as it was
	// thought to be.
	point(name docName, was, now *docState) (bool, error)
	appendVersion(v versionRow) error
	// putPack stores a pack and returns its number. settlePack corrects how many
	// of its bodies are needed.
	putPack(p *pack) (int64, error)
	settlePack(p *pack) error
	keepExchange(x exchangeRow) error
	// tx is for statements that are too rare to be kept for the end. They do not
	// see what is kept.
	tx() *tx
	// lockQuarantine makes others wait that write an item's rows there, quarantine
	// writes such rows at once, and noteQuarantined how many of them are open.
	lockQuarantine(item int64) error
	quarantine(list []rejectRow) error
	noteQuarantined(item, open int64) error
	// noteItem writes an item's counters; end is nil while it goes on.
	noteItem(p place, h *heldItem, end *itemEnd) error
	// closeOpen closes an item from outside.
	closeOpen(p place, o harvest.Outcome, why string, at int64) error
	// closeItem keeps across runs what the end of an item tells, noteChanges
	// within which numbers its changes lie.
	closeItem(item int64, e ending) error
	noteChanges(item, live int64, s span) error
	// grow counts documents of items that are not the writer's.
	grow(g growth) error

	// listToo notes that an item lists a document of another one, if that is as it
	// was thought to be; list does so without looking, and unlist lets nobody list
	// it.
	listToo(name docName, was *docState, item int64) (bool, error)
	list(name docName, item int64) error
	unlist(name docName) error

	// sight notes what a page of a full pass lists, endPass finishes the pass.
	sight(s sighting) error
	endPass(e passEnd) error

	// settle writes what is kept and needs no change number. From then on, ask and
	// do are statements of claims, which see everything so far; send ends a step of
	// them. take marks and hands out what a query selects, which ends with lock.
	settle() error
	ask(scan func(scanner) error, query string, args ...any) error
	do(query string, args ...any) error
	send() error
	take(c *claiming, query string, args []any) error
	lock() string
	// finish writes the rest; changes is the last number that was handed out.
	finish(changes int64) error
}

// checkpointMove is a page's step of a checkpoint.
type checkpointMove struct {
	item                      int64
	lane                      string
	from                      int64 // the version that must be there; 0: none
	value, params, extraction string
	at, run                   int64
}

// versionRow is a line of versions.
type versionRow struct {
	item, run, at int64
	op            int
	before, pack  int64
	now           *docState
	d             *document
	sums          int64
}

// exchangeRow is a line of the ledger.
type exchangeRow struct {
	run, ord, item int64
	seq, attempt   int
	worker         string
	*harvest.Exchange
}

// rejectRow is a row of the quarantine.
type rejectRow struct {
	item, run, at int64
	lane, name    string
	seq           int
	kind          harvest.Kind
	harvest.Reject
}

// sighting is what a page of a full pass lists, and what is known against it.
type sighting struct {
	item, pass, run, unlisted int64
	collection, doubts        string
	ids                       []string
}

// passEnd is the end of a full pass; void says why it could not be trusted.
type passEnd struct {
	item, pass, at int64
	void, held     string
}

// newItem is an item that is met for the first time, addedItem one of a run.
type (
	newItem struct {
		campaign, entry, key, fetcher, label, host string
		seen                                       int64
	}
	addedItem struct {
		run, ord, item, place                       int64
		label, fetcher, host, policy, params, queue string
	}
)
