package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Input are the sources of settings. Load reads nothing else of the process, except for
// the files it names and the folders above Dir.
type Input struct {
	// Flags are the given flags by name; lists joined by commas.
	Flags map[string]string
	// Getenv is the environment; nil: none.
	Getenv func(string) string
	// ConfigFile is the YAML file; empty: VENDEMMIA_CONFIG_FILE, otherwise the nearest
	// SettingsFile in Dir or above, otherwise none.
	ConfigFile string
	// Dir is the working folder; empty: the process's.
	Dir string
}

// ConfigFileEnv names the variable that names the YAML file.
const ConfigFileEnv = "VENDEMMIA_CONFIG_FILE"

// SettingsFile is the YAML file that is found without being named.
const SettingsFile = "vendemmia.yaml"

// controlQueue is the task queue of the short steps of all runs.
const controlQueue = "vendemmia-control"

// Load reads all settings. The error joins all mistakes, each with its origin.
func Load(in Input) (Settings, error) {
	if in.Getenv == nil {
		in.Getenv = func(string) string { return "" }
	}
	if in.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return Settings{}, fmt.Errorf("find the working folder: %w", err)
		}
		in.Dir = dir
	}
	file, err := readFile(in.Dir, in.configFile())
	problems := []error{err, unknownFlags(in.Flags)}
	s := Settings{}
	for _, k := range All() {
		v := in.find(k, file)
		err := k.set(&s, v.Value)
		if err != nil && k.Secret {
			v.Value = "***"
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s %s (%s): %w", k.Name, quoted(v.Value), v.Origin, err))
		}
		v.Value = withoutPassword(v.Value)
		s.values = append(s.values, v)
	}
	if (s.Deployment == "") != (s.Build == "") {
		problems = append(problems, errors.New("deployment-name and build-id: set both, or neither"))
	}
	if !s.Control && slices.Contains(s.Queues, controlQueue) {
		problems = append(problems, errors.New("control is false, and queues names "+controlQueue+": say one of both"))
	}
	if err := errors.Join(problems...); err != nil {
		return s, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "read settings", Err: err}
	}
	s.place(in, file)
	return s, nil
}

func (in Input) configFile() string {
	if path := cmp.Or(in.ConfigFile, in.Getenv(ConfigFileEnv)); path != "" {
		return path
	}
	if path := Upwards(in.Dir, SettingsFile); exists(path) {
		return path
	}
	return ""
}

func quoted(v string) string {
	if v == "" {
		return "is empty"
	}
	return fmt.Sprintf("%q", v)
}

// find returns the value of a setting from its strongest source.
func (in Input) find(k Known, file fileSettings) Value {
	v := Value{Name: k.Name, Help: k.Help}
	said, inFile := file.values[k.Name]
	switch flag, given := in.Flags[k.Name]; {
	case given:
		v.Value, v.Origin = flag, "--"+k.Name
	case in.Getenv(k.Env()) != "":
		v.Value, v.Origin = in.Getenv(k.Env()), k.Env()
	case inFile:
		v.Value, v.Origin = said.text, fmt.Sprintf("%s:%d", file.path, said.line)
	default:
		v.Value, v.Origin = k.Default, "default"
	}
	return v
}

func unknownFlags(flags map[string]string) error {
	var problems []error
	for name := range flags {
		if !known(name) {
			problems = append(problems, fmt.Errorf("--%s: %s", name, noSuch(name)))
		}
	}
	return errors.Join(problems...)
}

func known(name string) bool {
	for _, k := range All() {
		if k.Name == name {
			return true
		}
	}
	return false
}

func noSuch(name string) string {
	var names []string
	for _, k := range All() {
		names = append(names, k.Name)
	}
	if near := wording.Nearest(name, names); near != "" {
		return "no such setting; did you mean " + near + "?"
	}
	return "no such setting; there are " + strings.Join(names, ", ")
}

// place makes the path of the store absolute: relative to the file that sets it,
// otherwise searched upwards.
func (s *Settings) place(in Input, file fileSettings) {
	scheme, path := "", s.Store
	if rest, ok := strings.CutPrefix(path, "sqlite:"); ok {
		scheme, path = "sqlite:", rest
	}
	if path == "" || strings.Contains(path, "://") || filepath.IsAbs(path) || strings.HasPrefix(path, "//") {
		return
	}
	if file.path != "" && strings.HasPrefix(s.Origin("store"), file.path+":") {
		s.Store = scheme + filepath.Join(filepath.Dir(file.path), path)
	} else {
		s.Store = scheme + Upwards(in.Dir, path)
	}
	for i := range s.values {
		if s.values[i].Name == "store" {
			s.values[i].Value = s.Store
		}
	}
}

// withoutPassword hides the password of an address; everything else is unchanged.
func withoutPassword(value string) string {
	if !strings.HasPrefix(value, "postgres://") && !strings.HasPrefix(value, "postgresql://") {
		return value
	}
	u, err := url.Parse(value)
	if err != nil {
		return harvest.Redact(value)
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

// Upwards searches for a relative path in a folder and those above it: for the file
// itself, otherwise for the first folder of its path (".vendemmia"). If neither exists,
// the path is relative to the folder itself.
func Upwards(dir, path string) string {
	top, _, nested := strings.Cut(filepath.ToSlash(path), "/")
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, path)) || nested && top != ".." && top != "." && exists(filepath.Join(at, top)) {
			return filepath.Join(at, path)
		}
		if at == filepath.Dir(at) {
			return filepath.Join(dir, path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
