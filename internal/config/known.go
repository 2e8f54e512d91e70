package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/times"
)

// DefaultStore is the store if none is set, searched from the working folder upwards.
const DefaultStore = "sqlite:.vendemmia/vendemmia.db"

// DefaultSecretEnv are the variables that references to secrets may name if nothing
// else is set.
const DefaultSecretEnv = "VENDEMMIA_SECRET_*"

// Known describes one setting.
type Known struct {
	Name string // as a flag and in the file; the variable is Env
	// Variable is the environment variable, if its name is not derived from the
	// setting.
	Variable string
	Default  string
	Help     string
	// List means that the flag may be repeated and the file may contain a list; Map
	// that the file may contain a map.
	List, Map bool
	// Switch means that the flag needs no value.
	Switch bool
	// Secret means that the value is a reference; anything else is never shown.
	Secret bool
	set    func(*Settings, string) error
}

// Env is the setting's environment variable.
func (k Known) Env() string {
	if k.Variable != "" {
		return k.Variable
	}
	return "VENDEMMIA_" + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))
}

// All lists every setting.
func All() []Known {
	return slices.Concat(storeSettings(), workerSettings(), nameSettings(), temporalSettings())
}

func storeSettings() []Known {
	return []Known{
		{Name: "store", Default: DefaultStore, Help: "where the data is: sqlite:PATH or postgres://USER@HOST/DATABASE; a relative path is looked for upwards, as git does", set: text(func(s *Settings) *string { return &s.Store })},
		{Name: "create", Default: "false", Switch: true, Help: "make a new store where there is none", set: func(s *Settings, v string) (err error) {
			s.Create, err = strconv.ParseBool(v)
			return err
		}},
		{Name: "migrate", Default: "auto", Help: "bring an older file up to date: auto, never; a PostgreSQL store only by starter setup --migrate", set: oneOf(func(s *Settings) *string { return &s.Migrate }, "auto", "never")},
		{Name: "store-connections", Default: "4", Help: "connections of this process to a PostgreSQL store", set: func(s *Settings, v string) (err error) {
			s.StoreConnections, err = number(v, 1, 1000)
			return err
		}},
	}
}

func workerSettings() []Known {
	return []Known{
		{Name: "queues", Default: "vendemmia-fetch", List: true, Help: "task queues this worker fetches for", set: func(s *Settings, v string) error {
			s.Queues = list(v)
			if len(s.Queues) == 0 {
				return fmt.Errorf("names no queue")
			}
			return nil
		}},
		{Name: "control", Default: "true", Switch: true, Help: "take the short steps of runs as well; false: only items of its queues", set: func(s *Settings, v string) (err error) {
			s.Control, err = strconv.ParseBool(v)
			return err
		}},
		{Name: "item-slots", Default: "20", Help: "items in flight in this process", set: func(s *Settings, v string) (err error) {
			s.ItemSlots, err = number(v, 1, 100_000)
			return err
		}},
		{Name: "memory", Default: "80%", Help: "take no new item above this share of the memory limit (of the cgroup), or above a size like 1GiB; off: never mind", set: func(s *Settings, v string) (err error) {
			s.Memory, err = ParseMemory(v)
			return err
		}},
		{Name: "drain", Default: "30s", Help: "how long a stopping worker lets pages in work commit", set: duration(func(s *Settings) *time.Duration { return &s.Drain }, time.Second, time.Hour)},
		{Name: "heartbeat", Default: "30s", Help: "after this silence a worker counts as dead and its items go to another", set: duration(func(s *Settings) *time.Duration { return &s.Heartbeat }, time.Second, time.Hour)},
		{Name: "allow-network", List: true, Help: "private, loopback or link-local network that may be asked (CIDR)", set: networks},
		{Name: "max-body", Default: "16MiB", Help: "largest answer that is read", set: func(s *Settings, v string) (err error) {
			s.MaxBody, err = size(v)
			return err
		}},
		{Name: "secret-env", Default: DefaultSecretEnv, List: true, Help: "variables that ${secret:env:NAME} may name, by name or pattern", set: func(s *Settings, v string) error {
			s.SecretEnv = list(v)
			for _, pattern := range s.SecretEnv {
				if _, err := path.Match(pattern, ""); err != nil {
					return fmt.Errorf("%q is not a pattern; write NAME or NAME_*", pattern)
				}
			}
			return nil
		}},
		{Name: "secret-dir", List: true, Help: "folders that ${secret:file:PATH} may read; none by default", set: func(s *Settings, v string) error {
			s.SecretDirs = list(v)
			return nil
		}},
		{Name: "exec-dir", List: true, Help: "folders whose programs the fetcher exec may run; none by default", set: func(s *Settings, v string) error {
			s.ExecDirs = list(v)
			return nil
		}},
		{Name: "health-address", Help: "host:port for /live, /ready and /metrics; without a host it is this machine alone (0.0.0.0:9090 is all networks); empty: none", set: text(func(s *Settings) *string { return &s.HealthAddr })},
	}
}

func nameSettings() []Known {
	return []Known{
		{Name: "instance", Help: "sets this installation apart from others in one namespace", set: instance},
		{Name: "identity", Help: "name of this process in claims and histories; default: process and host", set: text(func(s *Settings) *string { return &s.Identity })},
		{Name: "contact", Help: "mail or address for the User-Agent of campaigns without an owner", set: text(func(s *Settings) *string { return &s.Contact })},
		{Name: "product", Help: "begins the User-Agent; default: Vendemmia and its version", set: text(func(s *Settings) *string { return &s.Product })},
		{Name: "log-level", Default: "info", Help: "debug, info, warn, error", set: func(s *Settings, v string) error {
			s.LogLevel = v
			var l slog.Level
			if err := l.UnmarshalText([]byte(v)); err != nil {
				return fmt.Errorf("one of debug, info, warn, error")
			}
			return nil
		}},
		{Name: "log-format", Default: "text", Help: "text, json", set: oneOf(func(s *Settings) *string { return &s.LogFormat }, "text", "json")},
		{Name: "search-attributes", Map: true, Help: "names on this server: Campaign=VendemmiaCampaign,Tags= (empty: not used)", set: attributes},
	}
}

func temporalSettings() []Known {
	return []Known{
		{Name: "temporal-address", Help: "host:port; default: the profile's, TEMPORAL_ADDRESS, localhost:7233", set: text(func(s *Settings) *string { return &s.TemporalAddress })},
		{Name: "temporal-namespace", Help: "default: the profile's, TEMPORAL_NAMESPACE, default", set: text(func(s *Settings) *string { return &s.TemporalNamespace })},
		{Name: "temporal-profile", Help: "profile of temporal.toml", set: text(func(s *Settings) *string { return &s.TemporalProfile })},
		{Name: "temporal-config-file", Help: "a temporal.toml of one's own", set: text(func(s *Settings) *string { return &s.TemporalConfig })},
		{Name: "temporal-api-key-file", Help: "file with the API key for Temporal, read again for each call; default: the profile's, TEMPORAL_API_KEY", set: text(func(s *Settings) *string { return &s.TemporalKeyFile })},
		{Name: "payload-keys", Secret: true, Help: "reference to the keys that encrypt what Temporal keeps, such as ${secret:file:payload-keys}; empty: plain text", set: reference(func(s *Settings) *string { return &s.PayloadKeys })},
		{Name: "deployment-name", Variable: "TEMPORAL_DEPLOYMENT_NAME", Help: "name of the worker deployment; with build-id it turns Temporal's worker versioning on", set: text(func(s *Settings) *string { return &s.Deployment })},
		{Name: "build-id", Variable: "TEMPORAL_WORKER_BUILD_ID", Help: "version of this worker in its deployment", set: text(func(s *Settings) *string { return &s.Build })},
	}
}

func text(at func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		*at(s) = strings.TrimSpace(v)
		return nil
	}
}

// reference takes one reference to a secret, and never a value in its place.
func reference(at func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		*at(s) = v
		if v != "" && references.First(v) != v {
			return fmt.Errorf("write a reference, ${secret:file:PATH} or ${secret:env:NAME}, not a key")
		}
		return nil
	}
}

func oneOf(at func(*Settings) *string, words ...string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		if *at(s) = v; !slices.Contains(words, v) {
			return fmt.Errorf("one of %s", strings.Join(words, ", "))
		}
		return nil
	}
}

func duration(at func(*Settings) *time.Duration, least, most time.Duration) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		d, err := times.ParseDuration(v)
		if err != nil {
			return fmt.Errorf("write a duration like 30s or 2m")
		}
		if *at(s) = d; d < least || d > most {
			return fmt.Errorf("from %s to %s", least, most)
		}
		return nil
	}
}

func number(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a number from %d to %d", least, most)
	}
	return n, nil
}

func size(v string) (int64, error) {
	for _, unit := range []struct {
		name string
		n    int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}} {
		digits, ok := strings.CutSuffix(v, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || n < 1 {
			break
		}
		return n * unit.n, nil
	}
	return 0, fmt.Errorf("write a size like 512KiB, 16MiB or 1GiB")
}

func list(v string) []string {
	var out []string
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func networks(s *Settings, v string) error {
	s.AllowNetwork = nil
	for _, part := range list(v) {
		p, err := netip.ParsePrefix(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil {
				return fmt.Errorf("%q is not a network; write 10.3.0.0/16 or an address", part)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		s.AllowNetwork = append(s.AllowNetwork, p.Masked())
	}
	return nil
}

var instanceName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

func instance(s *Settings, v string) error {
	s.Instance = v
	if v != "" && !instanceName.MatchString(v) {
		return fmt.Errorf("small letters, digits and hyphens, at most 32")
	}
	return nil
}

func attributes(s *Settings, v string) error {
	s.Attributes = map[string]string{}
	for _, part := range list(v) {
		ours, theirs, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%q: write OURS=THEIRS", part)
		}
		s.Attributes[strings.TrimSpace(ours)] = strings.TrimSpace(theirs)
	}
	return nil
}
