package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 2 * time.Minute // with a start on a slow and busy machine

// New starts a cluster for one test and stops it at the test's end. Without
// PostgreSQL on this machine the test is skipped, but fails where CI is set.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := begin(o)
	available(t, err)
	t.Cleanup(c.Stop)
	return c
}

func begin(o Options) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return Start(ctx, o)
}

func available(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrMissing) && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// Shared is one cluster for all tests of a package, started when the first of
// them asks for it:
//
//	var cluster pgtest.Shared
//
//	func TestMain(m *testing.M) { os.Exit(cluster.Run(m)) }
//
// Its methods may be called at once.
type Shared struct {
	Options Options

	once    sync.Once
	cluster *Cluster
	err     error
}

// Run runs the tests, stops the cluster and returns the exit code.
func (s *Shared) Run(m interface{ Run() int }) int {
	defer s.Stop()
	return m.Run()
}

// Stop ends the cluster, if there is one; nobody may ask for it afterwards.
func (s *Shared) Stop() {
	s.once.Do(func() {})
	if s.cluster != nil {
		s.cluster.Stop()
	}
}

// Cluster returns the cluster. Without PostgreSQL on this machine the test is
// skipped, but fails where CI is set.
func (s *Shared) Cluster(t testing.TB) *Cluster {
	t.Helper()
	s.once.Do(func() { s.cluster, s.err = begin(s.Options) })
	available(t, s.err)
	return s.cluster
}

// Database makes an empty database in the shared cluster, as Cluster.Database.
func (s *Shared) Database(t testing.TB) string {
	t.Helper()
	return s.Cluster(t).Database(t)
}

// Database makes an empty database, named after the test, and returns its
// address; at the test's end it is dropped, with the sessions that are still in
// it.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := c.databaseName(t.Name())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := c.SQL(ctx, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.drop(t, name) })
	return c.Address(name)
}

func (c *Cluster) drop(t testing.TB, name string) {
	t.Helper()
	if !c.running() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := c.SQL(ctx, "postgres", "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		t.Error(err)
	}
}

func (c *Cluster) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server != nil
}

// databaseName is unique in the cluster and needs no quoting; the system cuts
// names after 63 bytes.
func (c *Cluster) databaseName(test string) string {
	plain := regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(test), "_")
	return fmt.Sprintf("t%d_%s", c.databases.Add(1), plain[:min(len(plain), 40)])
}
