package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vendemmia/vendemmia/internal/local/freeport"
)

// Options of Start. The zero value is fine.
type Options struct {
	// Settings are further settings of the server, "name=value"; the last of
	// two of one name holds.
	Settings []string
	// Checksums makes the server check every page that it reads from a file.
	Checksums bool
	// Log takes the server's log; nil keeps only its end, for errors.
	Log io.Writer
}

// Cluster is a PostgreSQL server with data of its own: trust authentication,
// superuser postgres, UTF-8, locale C, fsync on. It listens on 127.0.0.1 and on
// a Unix socket. Its methods may be called at once; it ends with this process,
// however that ends.
type Cluster struct {
	bin, folder string
	port        int
	as          *syscall.Credential
	options     Options
	guard       *guard
	databases   atomic.Int64

	mu     sync.Mutex // one change of state at a time
	server *server    // nil: not running
}

// Start makes a cluster and waits until it takes connections. ErrMissing when
// this machine has no PostgreSQL.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	bin, err := binaries(debian)
	if err != nil {
		return nil, err
	}
	as, err := account()
	if err != nil {
		return nil, err
	}
	folder, err := makeFolder(as)
	if err != nil {
		return nil, fmt.Errorf("make a folder for a PostgreSQL cluster: %w", err)
	}
	c := &Cluster{bin: bin, folder: folder, as: as, options: o}
	if c.guard, err = newGuard(c); err != nil {
		return nil, fmt.Errorf("guard a PostgreSQL cluster: %w", errors.Join(err, os.RemoveAll(folder)))
	}
	if err := c.create(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// create makes the data and starts the server, on another port when somebody
// was quicker.
func (c *Cluster) create(ctx context.Context) error {
	args := []string{"-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"}
	if c.options.Checksums {
		args = append(args, "--data-checksums")
	}
	out, err := c.command(ctx, "initdb", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb in %s: %w\n%s", c.folder, err, out)
	}
	for try := 0; ; try++ {
		if c.port, err = freeport.Find(ctx); err != nil {
			return err
		}
		if err = c.Restart(ctx); err == nil || try == 4 || ctx.Err() != nil {
			return err
		}
	}
}

// File is the path of a file of the cluster's data, by its path in there. While the
// server is shut down, it may be changed.
func (c *Cluster) File(path string) string { return filepath.Join(c.data(), path) }

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// command is one of the server's programs, run as its user.
func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.Env = c.folder, environment(c.folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	cmd.WaitDelay = time.Second
	return cmd
}

// Restart starts the server again, with its data, after Kill or while it runs
// (then it is shut down in order first), and waits until it takes connections.
func (c *Cluster) Restart(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut()
	s, err := c.launch()
	if err != nil {
		return fmt.Errorf("start PostgreSQL in %s: %w", c.folder, err)
	}
	if err := s.wait(ctx, c.data()); err != nil {
		s.kill()
		return fmt.Errorf("start PostgreSQL in %s: %w\n%s", c.folder, err, s.log.String())
	}
	c.server = s
	return nil
}

// Shut shuts the server down in order: all it knew is in its files, and Restart
// starts it again.
func (c *Cluster) Shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut()
}

func (c *Cluster) shut() {
	if c.server != nil {
		c.server.signal(syscall.SIGINT)
		<-c.server.done
		c.server = nil
	}
}

// Kill ends the server and all its processes at once (SIGKILL), as a power cut
// does, and returns when all are gone. A killed cluster is not killed again.
func (c *Cluster) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		c.server.kill()
		c.server = nil
	}
}

// Stop ends the cluster and removes its data. It may be called twice.
func (c *Cluster) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		c.server.signal(syscall.SIGQUIT)
		select {
		case <-c.server.done:
		case <-time.After(10 * time.Second):
			c.server.kill()
		}
		c.server = nil
	}
	c.guard.release()
}

// settings of the server. Shared memory of its own is kept in files of the
// folder, so that nothing outlives a killed cluster.
func (c *Cluster) settings() []string {
	socket := c.folder
	if len(socket) > 80 { // the system's limit of a socket's path is about 100
		socket = ""
	}
	return append([]string{
		fmt.Sprint("port=", c.port), "listen_addresses=127.0.0.1", "unix_socket_directories=" + socket,
		"fsync=on", "max_connections=100", "shared_buffers=16MB", "max_wal_size=256MB",
		"dynamic_shared_memory_type=mmap", "logging_collector=off",
	}, c.options.Settings...)
}

func (c *Cluster) launch() (*server, error) {
	args := []string{"-D", c.data()}
	for _, s := range c.settings() {
		args = append(args, "-c", s)
	}
	s := &server{done: make(chan struct{})}
	s.cmd = c.command(context.Background(), "postgres", args...)
	s.cmd.WaitDelay = 0 // the log ends with the last of the server's processes, and that is waited for
	s.cmd.Stderr = io.Writer(&s.log)
	if c.options.Log != nil {
		s.cmd.Stderr = io.MultiWriter(&s.log, c.options.Log)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	return s, nil
}

// Port is where the server listens on 127.0.0.1.
func (c *Cluster) Port() int { return c.port }

// Address of a database, for a client on this machine.
func (c *Cluster) Address(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

// SocketAddress of a database through the server's Unix socket.
func (c *Cluster) SocketAddress(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, c.folder, c.port)
}

// SQL runs statements in a database as superuser and returns what they print,
// without headings, columns divided by a bar.
func (c *Cluster) SQL(ctx context.Context, database, statements string) (string, error) {
	cmd := c.command(ctx, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", c.Address(database), "-f", "-")
	cmd.Stdin = strings.NewReader(statements)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql on %s: %w: %s", database, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
