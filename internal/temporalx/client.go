package temporalx

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Target says which Temporal to talk to. What is empty is taken from the SDK's
// own settings: TEMPORAL_* variables over a profile of temporal.toml.
type Target struct {
	Address   string
	Namespace string
	APIKey    string
	// APIKeyFile holds the API key; it is read again for each call.
	APIKeyFile string
	Profile    string
	// ConfigFile is a temporal.toml of one's own.
	ConfigFile string
	// Alone ignores environment and profiles: a local server must never turn out
	// to be somebody's production.
	Alone bool
	// Identity is what histories say who it was; empty: process and host.
	Identity string
	Log      *slog.Logger // nil: discard
	// Heartbeat is how often workers of this client announce themselves; 0: the
	// SDK's default, negative: never.
	Heartbeat time.Duration
	// Keys encrypt what the server keeps of workflows; nil: it is plain text.
	Keys Keys
	// Env is where variables are looked up; nil: the process.
	Env envconfig.EnvLookup
}

// Loopback reports whether an address, with a port or without, names this machine. One
// without a host does not: who listens there is open to all networks.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ClientOptions resolves the target. It connects to nothing.
func ClientOptions(t Target) (client.Options, error) {
	o, err := t.load()
	if err != nil {
		return client.Options{}, fmt.Errorf("read the Temporal connection settings: %w; check TEMPORAL_* and temporal.toml", err)
	}
	if t.Address != "" {
		o.HostPort = t.Address
	}
	if t.Namespace != "" {
		o.Namespace = t.Namespace
	}
	if t.APIKey != "" {
		o.Credentials = client.NewAPIKeyStaticCredentials(t.APIKey)
	}
	if o.HostPort == "" {
		o.HostPort = client.DefaultHostPort
	}
	if o.Namespace == "" {
		o.Namespace = client.DefaultNamespace
	}
	c, err := t.codec()
	if err != nil {
		return client.Options{}, err
	}
	o.DataConverter = newConverter(c)
	o.FailureConverter = failures(o.DataConverter, t.Keys != nil)
	o.Identity, o.WorkerHeartbeatInterval = t.Identity, t.Heartbeat
	o.Logger = log.NewStructuredLogger(logger(t.Log))
	return o, nil
}

// codec is the one of the keys. Without keys it says of what is encrypted that it is.
func (t Target) codec() (converter.PayloadCodec, error) {
	if t.Keys == nil {
		return codec{&keyring{}}, nil
	}
	return NewCodec(t.Keys)
}

func (t Target) load() (client.Options, error) {
	if t.Alone {
		return client.Options{}, nil
	}
	p, err := t.profile()
	if err != nil {
		return client.Options{}, err
	}
	o, err := p.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		return o, err
	}
	rereadCertificates(o.ConnectionOptions.TLS, p.TLS)
	t.rereadKey(&o, p.APIKey)
	if t.APIKeyFile != "" {
		_, err = keyIn(t.APIKeyFile)
	}
	return o, err
}

func (t Target) profile() (envconfig.ClientConfigProfile, error) {
	return envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{
		ConfigFilePath: t.ConfigFile, ConfigFileProfile: t.Profile, EnvLookup: t.Env,
	})
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// Dial connects to the target and asks it whether it is there. The error names
// the address and the namespace.
func Dial(ctx context.Context, t Target) (client.Client, error) {
	o, err := ClientOptions(t)
	if err != nil {
		return nil, err
	}
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s, namespace %s: %w", o.HostPort, o.Namespace, err)
	}
	return c, nil
}

// WorkerSettings is what differs from worker to worker.
type WorkerSettings struct {
	// Heartbeat is how long a silent activity counts as alive; 0: HeartbeatTimeout.
	Heartbeat time.Duration
	Identity  string
	// Slots is how many activities run at once; 0: the SDK's default.
	Slots int
	// Drain is how long a stopping worker waits for its activities.
	Drain time.Duration
	// NoWorkflows makes a worker of activities only.
	NoWorkflows bool
	// Deployment and Build name the version of this worker for worker
	// versioning; both empty: without.
	Deployment, Build string
	// Door and WorkflowDoor hold back new activities and new workflow tasks; both or
	// neither is set.
	Door, WorkflowDoor Door
	// Fatal is called when the worker cannot continue.
	Fatal func(error)
}

// taskPollers is how many pollers ask for activities. With the SDK's two, a run of many
// short activities waits longer for its dispatch than for its work.
const taskPollers = 8

// WorkerOptions is the profile of every worker of ours.
func WorkerOptions(s WorkerSettings) worker.Options {
	o := worker.Options{
		Identity:                         s.Identity,
		MaxConcurrentActivityTaskPollers: taskPollers,
		WorkerStopTimeout:                s.Drain,
		MaxHeartbeatThrottleInterval:     throttle(s.Heartbeat),
		DefaultHeartbeatThrottleInterval: throttle(s.Heartbeat),
		DisableWorkflowWorker:            s.NoWorkflows,
		DisableRegistrationAliasing:      true,
		OnFatalError:                     s.Fatal,
	}
	if o.MaxConcurrentActivityExecutionSize = s.Slots; s.Door != nil {
		o.MaxConcurrentActivityExecutionSize, o.Tuner = 0, tuner(s)
	}
	if s.Deployment != "" && s.Build != "" {
		o.DeploymentOptions = deployment(s)
	}
	return o
}

// throttle lets two heartbeats of three be late, or lost.
func throttle(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		timeout = HeartbeatTimeout
	}
	return min(HeartbeatThrottle, timeout/3)
}

// deployment pins runs to the version they began with: they end within days,
// and a pinned run needs no guard for a change of its code.
func deployment(s WorkerSettings) worker.DeploymentOptions {
	return worker.DeploymentOptions{
		UseVersioning:             true,
		Version:                   worker.WorkerDeploymentVersion{DeploymentName: s.Deployment, BuildID: s.Build},
		DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}
}
