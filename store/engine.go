package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// engine is the database of a store: everything that SQLite and PostgreSQL do
// differently. Decisions about runs, claims and pages are made above it, for both.
type engine interface {
	// address is printable, without a password, and opens the same database
	// again.
	address() string
	// open makes or migrates the schema, where that is allowed, and connects.
	open(ctx context.Context) error
	close() error
	// integrity checks that the database files are not damaged.
	integrity(ctx context.Context, c *rows.Check) error
	// copyTo writes the database as it is at one moment into a new file, while
	// others write; copyKind is the end of such a file's name.
	copyTo(ctx context.Context, path string) error
	copyKind() string
	// putBlob keeps a large body by itself, or makes it young again when it is there
	// already: in the folder or, where there is none, in the table blobs.
	putBlob(ctx context.Context, digest string, content []byte) error
	folder() folder

	// read runs a query on one of the reading connections; it sees what was
	// committed when it began.
	read(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// transact runs fn in a transaction. The caller must hold Store.turn. It waits as
	// long as ctx allows, and may call fn more than once; only the writes of the last
	// call are committed.
	transact(ctx context.Context, l lock, fn func(*tx) error) error
	// batchDelay is the quiet period to wait for before starting the next group; 0
	// disables waiting.
	batchDelay() time.Duration
	// sink returns the writer of one transaction's rows.
	sink(t *tx) sink

	// probe returns the stored state of documents, without those that are not stored.
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
	// calendar is the SQL of the day, week ("2026-W18") or month, in UTC, of a column of
	// microseconds.
	calendar(column, unit string) string
	// jsonNumber is the SQL of a number in a column of JSON text.
	jsonNumber(column, key string) string
}

// lock is what a transaction holds from its beginning, where the database lets
// several write at once.
type lock struct {
	all  bool   // nothing else writes
	name string // nothing else writes that asks for the same name; "": no lock
}

// lockShared is for what decides by the rows it locks, lockExclusive for what
// changes the names of campaigns and items, resets checkpoints or raises the epoch.
var lockShared, lockExclusive = lock{}, lock{all: true}

// lockGate is for what decides who may open a run of a campaign in a lane.
func lockGate(campaign, lane string) lock { return lock{name: "gate " + campaign + " " + lane} }

// sink writes the rows of a batch, at once or together at the end.
type sink interface {
	// begin reads the rows that the writes of a batch need. It returns the last change
	// number that is taken.
	begin(batch []*job) (before int64, err error)
	// run and held return what begin read of runs and items; held knows the
	// counters. found is false for what is not there.
	run(id int64) (liveRun, error)
	held(p place) (h *heldItem, found bool, err error)
	// loaded returns a document as begin read it or this transaction left it, nil for
	// none; reload reads it again, after a write found another version.
	loaded(name docName) *docState
	reload(d *document) (*docState, error)

	// moveCheckpoint is refused (false) when the version is not the expected one.
	moveCheckpoint(m checkpointMove) (bool, error)
	// point makes a version the current one, if was is still the current one.
	point(name docName, was, now *docState) (bool, error)
	appendVersion(v versionRow) error
	// putPack stores a pack and returns its number. settlePack corrects how many
	// of its bodies are needed.
	putPack(p *pack) (int64, error)
	settlePack(p *pack) error
	keepExchange(x exchangeRow) error
	// keepRaw stores pages as they came; those that are there are young again.
	keepRaw(list []rows.RawPage) error
	// tx runs statements at once. They do not see rows that are kept for the end.
	tx() *tx
	// lockQuarantine makes others wait that write an item's rows there, quarantine
	// writes such rows at once, and noteQuarantined how many of them are open.
	lockQuarantine(item int64) error
	quarantine(list []rejectRow) error
	noteQuarantined(item, open int64) error
	// noteItem writes an item's counters; end is nil while it goes on.
	noteItem(p place, h *heldItem, end *itemEnd) error
	// closeOpen closes an item from outside.
	closeOpen(p place, o outcomes.Outcome, why string, at int64) error
	// closeItem updates an item's health from the end of a run, noteChanges the range
	// of its change numbers.
	closeItem(item int64, e ending) error
	noteChanges(item, live int64, s span) error
	// grow changes the document counts of other items than the writer's.
	grow(g growth) error

	// listToo notes that an item lists a document of another one, if that is as it
	// was thought to be; list does so without looking, and unlist lets nobody list
	// it.
	listToo(name docName, was *docState, item int64) (bool, error)
	list(name docName, item int64) error
	unlist(name docName) error

	// sight notes the documents that a page of a full pass lists, endPass finishes the
	// pass.
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
	*visit.Exchange
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
