package e2e

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// What becomes of a host when the worker that has a request at it ends. Moments
// are those of the database, which writes down who booked what.

const leaseGap = 300 * time.Millisecond

// handover is a run on one host: the first worker has a request inside, the
// second one waits for its turn.
type handover struct {
	*house
	door          *door
	first, second *dev.Process
	health        string // of the first
	run           func() steps.Summary
	db            *pgx.Conn
}

func newHandover(t *testing.T, args ...string) *handover {
	o := &handover{house: newPostgresHouse(t), door: newDoor(t)}
	const feeds = 3
	worker := o.hire()
	o.health = worker.Health
	var err error
	o.first, err = o.startWorker(worker, append([]string{"--item-slots", "1", "--product", "first"}, args...)...)
	require.NoError(t, err)
	o.keepBook()
	o.door.campaign(o.house, feeds, leaseGap)
	run := o.start("door-1", steps.Start{Campaign: "door"})
	o.run = func() steps.Summary { return o.result(run) }
	o.eventually("the first worker has a request inside", time.Minute, func() bool { return o.door.waits("first") })
	o.second = o.work("--item-slots", "1", "--product", "second")
	o.eventually("the second worker waits for its turn", time.Minute, func() bool { return o.count(`SELECT count(*) FROM waiters`) > 0 })
	return o
}

// keepBook makes the database write down every booking, and every refusal.
func (o *handover) keepBook() {
	o.t.Helper()
	var err error
	o.db, err = pgx.Connect(o.t.Context(), o.address)
	require.NoError(o.t, err)
	o.t.Cleanup(func() { o.db.Close(o.within(time.Minute)) })
	_, err = o.db.Exec(o.t.Context(), `
		CREATE TABLE book (n bigserial PRIMARY KEY, at bigint, holder text, refused boolean, lease_until bigint, next_at bigint);
		CREATE FUNCTION moment() RETURNS bigint LANGUAGE sql AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
		CREATE FUNCTION keep_departure() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN INSERT INTO book (at, holder, refused, lease_until, next_at) VALUES (moment(), NEW.holder, false, NEW.lease_until, NEW.next_at); RETURN NEW; END';
		CREATE FUNCTION keep_refusal() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN INSERT INTO book (at, holder, refused, lease_until, next_at) VALUES (moment(), NEW.holder, true, 0, 0); RETURN NEW; END';
		CREATE TRIGGER keep AFTER INSERT OR UPDATE ON departures FOR EACH ROW EXECUTE FUNCTION keep_departure();
		CREATE TRIGGER keep AFTER INSERT OR UPDATE ON waiters FOR EACH ROW EXECUTE FUNCTION keep_refusal();`)
	require.NoError(o.t, err)
}

func (o *handover) count(query string, args ...any) (n int64) {
	o.t.Helper()
	require.NoError(o.t, o.db.QueryRow(o.t.Context(), query, args...).Scan(&n))
	return n
}

// entry is a line of the book.
type entry struct {
	N, At              int64
	Holder             string
	Refused            bool
	LeaseUntil, NextAt int64
}

// book is what was booked and refused, in order; holder "" gave back.
func (o *handover) book() []entry {
	o.t.Helper()
	rows, err := o.db.Query(o.t.Context(), `SELECT n, at, holder, refused, lease_until, next_at FROM book ORDER BY n`)
	require.NoError(o.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[entry])
	require.NoError(o.t, err)
	return list
}

// handed finds in the book the last line of the worker that went first, the
// booking of the one that came next, and how often that was refused once the host
// was free.
func (o *handover) handed() (last, next entry, refused int) {
	o.t.Helper()
	first := ""
	for _, e := range o.book() {
		switch {
		case e.Refused && next.N == 0 && last.N > 0 && e.At >= max(last.LeaseUntil, last.NextAt):
			refused++
		case e.Refused || next.N > 0:
		case first == "" || e.Holder == first || e.Holder == "":
			first, last = max(first, e.Holder), e
		default:
			next = e
		}
	}
	require.NotZero(o.t, next.N, "nobody came next")
	return last, next, refused
}

// finish lets the run end and looks at what the host saw: each feed was answered
// once, and no gap was too short.
func (o *handover) finish() {
	o.t.Helper()
	o.door.opens()
	require.Equal(o.t, outcomes.Done, o.run().Outcome)
	answered := map[string]int{}
	guests := o.door.seen()
	for i, g := range guests {
		if !g.left {
			answered[g.path]++
		}
		if i > 0 {
			require.GreaterOrEqual(o.t, g.begin.Sub(guests[i-1].end), leaseGap, "request %d", i)
		}
	}
	require.Equal(o.t, map[string]int{"/0": 1, "/1": 1, "/2": 1}, answered)
}

// A worker that is killed has its host until its lease ends, and no longer: who
// waits gets the host by the first question after that.
func TestSoakKilledWorkerFreesItsHostWithinItsLease(t *testing.T) {
	soak(t)
	t.Parallel()
	o := newHandover(t)
	o.first.Kill()
	killed := time.Now()
	o.eventually("the host sees the connection end", time.Minute, func() bool { return !o.door.waits("first") })
	o.eventually("the second worker has a request inside", time.Minute, func() bool { return o.door.waits("second") })
	after := time.Since(killed)
	o.finish()
	last, next, refused := o.handed()
	require.NotEmpty(t, last.Holder, "the dead give nothing back")
	require.GreaterOrEqual(t, next.LeaseUntil-polite.Lease.Microseconds(), last.LeaseUntil, "not before its lease ends")
	require.LessOrEqual(t, refused, 1, "once it is free, the first question gets it")
	t.Logf("a worker killed (SIGKILL) with a request inside: its lease ended %s after its last renewal, the next request was inside %s after the kill, booked %s after the lease's end",
		polite.Lease, after.Round(time.Millisecond), time.Duration(next.At-last.LeaseUntil)*time.Microsecond)
}

// A worker that is told to stop gives its host back, whether the answer comes while
// it drains or not.
func TestStoppedWorkerFreesItsHostAtOnce(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]bool{"the answer comes": true, "the answer does not come": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newHandover(t, "--drain", map[bool]string{true: "1m", false: "2s"}[answered])
			o.first.Signal(syscall.SIGTERM)
			o.eventually("it drains", time.Minute, func() bool { return readiness(o.health) != http.StatusOK })
			if answered {
				o.door.opens()
			}
			require.NoError(t, o.first.Err())
			o.eventually("the second worker has had its turn", time.Minute, func() bool { return o.door.came("second") })
			o.finish()
			last, next, refused := o.handed()
			require.Empty(t, last.Holder, "it gave the host back")
			require.LessOrEqual(t, refused, 1, "once it is free, the first question gets it")
			t.Logf("a worker told to stop (SIGTERM), %s: the next request was booked %s after the host was given back, of which %s are the gap",
				name, time.Duration(next.At-last.At)*time.Microsecond, leaseGap)
		})
	}
}

// A worker that is frozen (SIGSTOP) for longer than its lease with a request inside:
// that one request overlaps another's, and no other does, before or after.
func TestSoakFrozenWorkerOverlapsByOneRequest(t *testing.T) {
	soak(t)
	t.Parallel()
	o := newHandover(t)
	o.first.Signal(syscall.SIGSTOP)
	o.eventually("the second worker has a request inside", time.Minute, func() bool { return o.door.waits("second") })
	o.first.Signal(syscall.SIGCONT)
	o.door.opens()
	require.Equal(t, outcomes.Done, o.run().Outcome)
	guests := o.door.seen()
	for i, g := range guests[1:] {
		for _, before := range guests[1 : i+1] {
			require.GreaterOrEqual(t, g.begin.Sub(before.end), leaseGap, "request %d", i+1)
		}
	}
	last, next, _ := o.handed()
	require.GreaterOrEqual(t, next.LeaseUntil-polite.Lease.Microseconds(), last.LeaseUntil, "not before its lease ends")
	t.Logf("a worker frozen with a request inside for longer than its lease: %d requests, of which the first overlaps the second", len(guests))
}
