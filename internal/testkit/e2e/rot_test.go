package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Bits are flipped in the files of a store that nobody has open. A reading command
// then either prints what it printed before or exits with an error.

func TestSoakBitRotOfSQLite(t *testing.T) {
	soak(t)
	h := newHouse(t)
	h.storeDir = filepath.Join(h.dir, "store")
	require.NoError(t, os.Mkdir(h.storeDir, 0o700))
	h.rotten(t, 200, rotSQLite)
}

func TestSoakBitRotOfPostgres(t *testing.T) {
	soak(t)
	h := newPostgresHouseOn(t, pgtest.Options{Settings: []string{"autovacuum=off"}})
	h.rotten(t, 30, rotPostgres)
}

func TestSoakBitRotOfPostgresWithChecksums(t *testing.T) {
	soak(t)
	h := newPostgresHouseOn(t, pgtest.Options{Checksums: true, Settings: []string{"autovacuum=off"}})
	h.rotten(t, 15, rotPostgres)
}

// rot flips so many bits in the files of a closed store, opens it for commands,
// and returns what repairs it.
type rot func(h *house, bits int) (where string, repair func())

// rotten compares what commands print of a store before and after its rot.
func (h *house) rotten(t *testing.T, times int, spoil rot) {
	t.Helper()
	h.fill()
	before := h.readings()
	for _, r := range before {
		require.Zero(t, r.code, "%v: %s", r.args, tail(r.errors))
	}
	var silent []string
	var seen struct{ nothing, failed, verified, names int }
	for n := range times {
		where, repair := spoil(h, 1+7*(n%2))
		after := h.readings()
		failed := false
		for i, r := range after[:len(after)-1] {
			failed = failed || r.code != 0
			switch {
			case r.code != 0 || bytes.Equal(r.out, before[i].out):
			case bytes.Equal(withoutNames(r.out), withoutNames(before[i].out)):
				seen.names++
			default:
				silent = append(silent, fmt.Sprintf("%s: %v: %s; store verify exits %d", where, r.args, difference(before[i].out, r.out), after[len(after)-1].code))
			}
		}
		switch verify := after[len(after)-1]; {
		case failed:
			seen.failed++
			require.NotZero(t, verify.code, "%s: a command fails, and store verify finds nothing", where)
		case verify.code != 0:
			seen.verified++
		default:
			seen.nothing++
		}
		repair()
	}
	t.Logf("%d times 1 or 8 bits: %d times a reading command failed, %d times only store verify did, %d times nothing that is read was hit; %d outputs named another campaign, item or run beside a document",
		times, seen.failed, seen.verified, seen.nothing, seen.names)
	require.Empty(t, silent, "exit code 0 and other output")
}

// withoutNames leaves out where a document comes from: the rows of items and runs
// have no checksum, those of documents have.
func withoutNames(out []byte) []byte {
	return regexp.MustCompile(`"(campaign|entry|key|fetcher|run)": ?"[^"]*"`).ReplaceAll(out, nil)
}

// difference describes how two outputs of lines differ.
func difference(before, after []byte) string {
	old, now := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			return fmt.Sprintf("%d lines became %d; line %d was %.300q and is %.300q", len(old), len(now), i, old[i], now[i])
		}
	}
	return fmt.Sprintf("%d lines became %d", len(old), len(now))
}

// fill collects documents, twice, and closes the store.
func (h *house) fill() {
	h.t.Helper()
	src := newSource(h.t, 20, 3, 20, 0)
	h.work()
	h.campaign("rot", src, "processors: 4")
	require.Equal(h.t, outcomes.Done, h.result(h.start("rot-1", steps.Start{Campaign: "rot"})).Outcome)
	require.NoError(h.t, h.worker.Stop(h.within(time.Minute)))
	h.server.Kill() // nothing that follows asks it
}

// readings are of the commands that read the store; store verify is the last one.
func (h *house) readings() (all []reading) {
	h.t.Helper()
	for _, args := range []string{
		"documents export --campaign rot", "documents export --collection rot", "documents changes --bodies --collection rot",
		"documents get -o json " + id(0, 0, 0), "documents get --body " + id(7, 1, 3), "documents get -o json " + id(19, 2, 9), "store verify",
	} {
		all = append(all, h.read(strings.Fields(args)...))
	}
	return all
}

// flip flips bits in files, anywhere in them, and returns how to put them back.
func (h *house) flip(bits int, files []string) (where string, repair func()) {
	h.t.Helper()
	kept, size := map[string][]byte{}, 0
	for _, path := range files {
		content, err := os.ReadFile(path)
		require.NoError(h.t, err)
		kept[path], size = content, size+len(content)
	}
	rotten := map[string][]byte{}
	for range bits {
		at := h.chance.IntN(size)
		for _, path := range files {
			if at < len(kept[path]) {
				if rotten[path] == nil {
					rotten[path] = bytes.Clone(kept[path])
				}
				bit := h.chance.IntN(8)
				rotten[path][at] ^= 1 << bit
				where += fmt.Sprintf(" %s:%d.%d", filepath.Base(path), at, bit)
				break
			}
			at -= len(kept[path])
		}
	}
	h.overwrite(rotten)
	return where, func() { h.overwrite(kept) }
}

// overwrite keeps the owner of files, who is not always who runs the test.
func (h *house) overwrite(files map[string][]byte) {
	h.t.Helper()
	for path, content := range files {
		require.NoError(h.t, os.WriteFile(path, content, 0o600))
	}
}

// rotSQLite flips bits in the file of the database and in those of bodies and raw
// pages beside it.
func rotSQLite(h *house, bits int) (where string, repair func()) {
	var files []string
	require.NoError(h.t, filepath.WalkDir(h.storeDir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			files = append(files, path)
		}
		return err
	}))
	where, back := h.flip(bits, files)
	return where, func() {
		for _, side := range []string{"-wal", "-shm"} { // of a database that could not be closed
			_ = os.Remove(filepath.Join(h.storeDir, "vendemmia.db"+side))
		}
		back()
	}
}

// rotPostgres flips bits in the pages of the store's own tables and indexes, while
// the server is down.
func rotPostgres(h *house, bits int) (where string, repair func()) {
	database := h.address[strings.LastIndexByte(h.address, '/')+1:]
	database, _, _ = strings.Cut(database, "?")
	out, err := h.cluster.SQL(h.within(time.Minute), database, `CHECKPOINT; SELECT pg_relation_filepath(oid) FROM pg_class
		WHERE relnamespace IN ('public'::regnamespace, 'pg_toast'::regnamespace) AND relkind IN ('r', 'i', 't') AND oid >= 16384 AND pg_relation_size(oid) > 0 ORDER BY oid`)
	require.NoError(h.t, err)
	h.cluster.Shut()
	var files []string
	for _, path := range strings.Fields(out) {
		files = append(files, h.cluster.File(path))
	}
	where, back := h.flip(bits, files)
	require.NoError(h.t, h.cluster.Restart(h.within(time.Minute)))
	return where, func() {
		h.recover()
		h.cluster.Shut()
		back()
		require.NoError(h.t, h.cluster.Restart(h.within(time.Minute)))
	}
}
