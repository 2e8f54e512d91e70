package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of its databases

	"github.com/vendemmia/vendemmia/internal/local/freeport"
)

// serve becomes the production server: this process is the server from then on, and
// dies as it does.
func serve(ctx context.Context, args []string) error {
	port, file, err := understood(args)
	if err != nil {
		return err
	}
	m := machine{bin: os.Getenv(envBin)}
	if m.port, err = strconv.Atoi(os.Getenv(envPort)); err != nil {
		return fmt.Errorf("%s is not set: start this by `production run`", envPort)
	}
	name := databaseOf(file)
	if err := m.makeDatabases(ctx, name); err != nil {
		return err
	}
	env, err := m.environment(ctx, name, port)
	if err != nil {
		return err
	}
	return syscall.Exec(filepath.Join(m.bin, "temporal-server"), []string{"temporal-server", "--allow-no-auth", "start"}, env)
}

// understood reads what is of use here of the arguments of `temporal server
// start-dev`.
func understood(args []string) (port int, file string, err error) {
	f := flag.NewFlagSet("server start-dev", flag.ContinueOnError)
	f.IntVar(&port, "port", 0, "")
	f.StringVar(&file, "db-filename", "", "")
	for _, ignored := range []string{"ip", "ui-port", "log-level"} {
		f.String(ignored, "", "")
	}
	for _, repeated := range []string{"dynamic-config-value", "search-attribute"} {
		f.Func(repeated, "", func(string) error { return nil })
	}
	return port, file, f.Parse(args)
}

// databaseOf is the name of the databases of a development server's file; one that
// keeps nothing has new ones.
func databaseOf(file string) string {
	if file == "" {
		file = fmt.Sprint(rand.Uint64())
	}
	h := fnv.New64a()
	h.Write([]byte(file))
	return fmt.Sprintf("production_%x", h.Sum64())
}

// makeDatabases copies the template where there are none of a name yet.
func (m machine) makeDatabases(ctx context.Context, name string) error {
	db, err := m.open("postgres")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, part := range []string{"", visibility} {
		var there bool
		if err := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM pg_database WHERE datname = $1", name+part).Scan(&there); err != nil {
			return err
		}
		if !there {
			if _, err := db.ExecContext(ctx, "CREATE DATABASE "+name+part+" TEMPLATE "+template+part); err != nil {
				return err
			}
		}
		if err := m.rename(ctx, name+part); err != nil {
			return err
		}
	}
	return nil
}

// rename tells a copy its name: the schema's version is kept under it.
func (m machine) rename(ctx context.Context, name string) error {
	db, err := m.open(name)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "UPDATE schema_version SET db_name = $1", name)
	return err
}

func (m machine) open(database string) (*sql.DB, error) {
	return sql.Open("pgx", fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", m.port, database))
}

// environment configures a server: the template that is embedded in it reads
// nothing else.
func (m machine) environment(ctx context.Context, database string, port int) ([]string, error) {
	dynamic, err := dynamicConfig()
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(),
		"DB=postgres12", "DBNAME="+database, "VISIBILITY_DBNAME="+database+visibility, "POSTGRES_SEEDS=127.0.0.1", "POSTGRES_USER=postgres",
		fmt.Sprint("DB_PORT=", m.port), "SQL_MAX_CONNS=10", "SQL_MAX_IDLE_CONNS=10", "NUM_HISTORY_SHARDS=128", "LOG_LEVEL=error",
		"BIND_ON_IP=127.0.0.1", fmt.Sprint("FRONTEND_GRPC_PORT=", port), "DYNAMIC_CONFIG_FILE_PATH="+dynamic)
	ports, err := m.ports(ctx, database)
	return append(env, ports...), err
}

// ports are those of the parts of a server. They are kept with its data: one that
// was killed and comes back elsewhere waits until its own former parts, which no
// longer answer, are no longer counted as members.
func (m machine) ports(ctx context.Context, database string) (env []string, err error) {
	db, err := m.open(database)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS production_ports (name text PRIMARY KEY, port int)"); err != nil {
		return nil, err
	}
	for _, name := range []string{
		"FRONTEND_HTTP_PORT", "FRONTEND_MEMBERSHIP_PORT", "MATCHING_GRPC_PORT", "MATCHING_MEMBERSHIP_PORT",
		"HISTORY_GRPC_PORT", "HISTORY_MEMBERSHIP_PORT", "WORKER_GRPC_PORT", "WORKER_MEMBERSHIP_PORT",
	} {
		port, err := freeport.Find(ctx)
		if err != nil {
			return nil, err
		}
		keep := "INSERT INTO production_ports VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET port = production_ports.port RETURNING port"
		if err := db.QueryRowContext(ctx, keep, name, port).Scan(&port); err != nil {
			return nil, err
		}
		env = append(env, fmt.Sprintf("%s=%d", name, port))
	}
	return env, nil
}

// dynamicConfig gives servers the roster of `starter workers`.
func dynamicConfig() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("vendemmia-production-%d.yaml", os.Getuid()))
	text := "frontend.WorkerHeartbeatsEnabled:\n  - value: true\nfrontend.ListWorkersEnabled:\n  - value: true\nsystem.forceSearchAttributesCacheRefreshOnRead:\n  - value: true\n"
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
		return "", err
	}
	return path, os.Rename(part, path)
}
