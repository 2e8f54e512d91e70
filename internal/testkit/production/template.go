package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/vendemmia/vendemmia/internal/local/freeport"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/workflows"
)

// template is the database that those of all servers are copies of; beside each
// stands one for visibility.
const (
	template   = "production_template"
	visibility = "_visibility"
)

// patience is how long a server may take to start on a busy machine.
const patience = 3 * time.Minute

// machine is where the programs and PostgreSQL are.
type machine struct {
	bin  string
	port int
}

// makeTemplate sets up the schema, and lets a server make a namespace and our
// search attributes in it.
func (m machine) makeTemplate(ctx context.Context, cluster *pgtest.Cluster) error {
	for name, schema := range map[string]string{template: "temporal", template + visibility: "visibility"} {
		if _, err := cluster.SQL(ctx, "postgres", "CREATE DATABASE "+name); err != nil {
			return err
		}
		for _, args := range [][]string{{"setup-schema", "-v", "0.0"}, {"update-schema", "--schema-name", "postgresql/v12/" + schema}} {
			if err := m.sqlTool(ctx, name, args...); err != nil {
				return err
			}
		}
	}
	port, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	env, err := m.environment(ctx, template, port)
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, filepath.Join(m.bin, "temporal-server"), "--allow-no-auth", "start")
	server.Env, server.Stderr = env, os.Stderr
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	if err := server.Start(); err != nil {
		return err
	}
	err = prepare(ctx, "127.0.0.1:"+strconv.Itoa(port))
	_ = server.Process.Signal(syscall.SIGTERM) // one that has ended is what is wanted
	_ = server.Wait()
	if err != nil {
		return err
	}
	_, err = cluster.SQL(ctx, template, "DROP TABLE production_ports; DELETE FROM cluster_membership") // each copy has its own
	return err
}

func (m machine) sqlTool(ctx context.Context, database string, args ...string) error {
	all := append([]string{"--plugin", "postgres12", "--ep", "127.0.0.1", "--port", strconv.Itoa(m.port), "--user", "postgres", "--db", database}, args...)
	out, err := exec.CommandContext(ctx, filepath.Join(m.bin, "temporal-sql-tool"), all...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("temporal-sql-tool %v: %w\n%s", args, err, out)
	}
	return nil
}

// prepare makes the namespace and the search attributes of a development server.
func prepare(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := dialled(ctx, address)
	if err != nil {
		return err
	}
	defer c.Close()
	day := durationpb.New(24 * time.Hour)
	if _, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: "default", WorkflowExecutionRetentionPeriod: day}); err != nil {
		return fmt.Errorf("make the namespace: %w", err)
	}
	kinds := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.Attributes() {
		if kinds[a.Name], err = enumspb.IndexedValueTypeFromString(a.Type); err != nil {
			return err
		}
	}
	return until(ctx, func() error {
		_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: "default", SearchAttributes: kinds})
		return err
	})
}

func dialled(ctx context.Context, address string) (c client.Client, err error) {
	return c, until(ctx, func() error {
		c, err = client.DialContext(ctx, client.Options{HostPort: address})
		return err
	})
}

// until tries again until there is no error or no time.
func until(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", ctx.Err(), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
