package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows"
)

// patience is how long a server may take to answer at all.
const patience = 5 * time.Second

// Environment is where connection settings are read from.
type Environment struct {
	Getenv  func(string) string
	Environ func() []string
}

// LookupEnv returns a variable; one that is empty counts as not set.
func (e Environment) LookupEnv(name string) (string, bool) {
	v := e.Getenv(name)
	return v, v != ""
}

// Where are the flags that outrank profile and environment; empty is not given.
type Where struct {
	Address   string
	Namespace string
	Profile   string
	// ConfigFile is a temporal.toml of one's own.
	ConfigFile string
	APIKeyFile string
	Identity   string
	// Keys encrypt what the server keeps of workflows; nil: it is plain text.
	Keys temporalx.Keys
	// Alone ignores profiles and variables: the address is all there is to know.
	Alone bool
}

type lookup struct{ Environment }

func (l lookup) Environ() []string {
	if l.Environment.Environ == nil {
		return nil
	}
	return l.Environment.Environ()
}

// Options reads the connection settings as every Temporal tool does: a profile
// of its configuration file, then TEMPORAL_* variables, then the flags.
func Options(w Where, env Environment) (client.Options, error) {
	return temporalx.ClientOptions(temporalx.Target{
		Address: w.Address, Namespace: w.Namespace, Profile: w.Profile, ConfigFile: w.ConfigFile, APIKeyFile: w.APIKeyFile, Identity: w.Identity, Keys: w.Keys, Alone: w.Alone, Env: lookup{env},
	})
}

// TargetOf names what options point at.
func TargetOf(o client.Options) Target { return Target{Address: o.HostPort, Namespace: o.Namespace} }

// Client is a connection to one namespace. Safe for use at once.
type Client struct {
	sdk      client.Client
	target   Target
	instance workflows.Instance
	data     converter.DataConverter // nil: the SDK's own
}

// Dial connects, waiting at most five seconds for an answer. Of the instance's
// search attributes only those that the server has are set.
func Dial(ctx context.Context, o client.Options, i workflows.Instance) (*Client, error) {
	t := TargetOf(o)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, unreachable(t, err)
	}
	e := New(c, t, i)
	e.data = o.DataConverter
	return e, nil
}

// New wraps a connection that exists already.
func New(c client.Client, t Target, i workflows.Instance) *Client {
	return &Client{sdk: c, target: t, instance: i}
}

// SDK returns the connection itself, for code that speaks the SDK's language.
func (c *Client) SDK() client.Client { return c.sdk }

// Target returns which Temporal this is.
func (c *Client) Target() Target { return c.target }

// Close ends the connection.
func (c *Client) Close() { c.sdk.Close() }

// NamespaceID returns the id that the server gave the namespace when it was made.
func (c *Client) NamespaceID(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	id, err := temporalx.NamespaceID(ctx, c.sdk, c.target.Namespace)
	return id, translate("ask "+c.target.String(), err)
}

// Check reports whether the namespace answers.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := temporalx.NamespaceID(ctx, c.sdk, c.target.Namespace) // what any role in the namespace may ask
	return translate("ask "+c.target.String(), err)
}

func unreachable(t Target, err error) error {
	advice := "check address, TLS and key: `temporal workflow count` uses the same settings"
	if t.Loopback() {
		advice = "start one: `starter dev`, or `temporal server start-dev`; another one: set TEMPORAL_ADDRESS or --temporal-address"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("connect to Temporal at %s: no answer in %s; %s", t.Address, patience, advice)
	}
	return fmt.Errorf("connect to Temporal at %s: %w; %s", t.Address, err, advice)
}

// translate puts what the server said into words of ours; the cause stays
// reachable by errors.Is.
func translate(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](err); ok {
		return fmt.Errorf("%s: %w: %w", doing, ErrForbidden, err)
	}
	if _, ok := errors.AsType[*serviceerror.Unimplemented](err); ok {
		return fmt.Errorf("%s: %w", doing, ErrUnsupported)
	}
	if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
		return fmt.Errorf("%s: no such namespace: %w; make it: `starter setup --namespace NAME`, or temporal operator namespace create", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
