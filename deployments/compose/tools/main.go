// Command check loads a Compose file and says what in it is not as it should be.
//
//	check FOLDER            # prints a line per service
//	check -commands FOLDER  # the arguments of services of our image, one a line
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	commands := len(args) == 2 && args[0] == "-commands"
	if len(args) != 1 && !commands {
		return errors.New("usage: check [-commands] FOLDER")
	}
	p, err := load(args[len(args)-1])
	if err != nil {
		return err
	}
	if commands {
		printCommands(p)
		return nil
	}
	return check(p)
}

// load reads FOLDER/compose.yaml with every profile; unknown keys are errors.
func load(folder string) (*types.Project, error) {
	options, err := cli.NewProjectOptions([]string{filepath.Join(folder, "compose.yaml")}, cli.WithProfiles([]string{"*"}),
		cli.WithEnv([]string{"POSTGRES_PASSWORD=secret", "VENDEMMIA_VERSION=1.0.0"}))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func printCommands(p *types.Project) {
	for _, name := range p.ServiceNames() {
		if s := p.Services[name]; ours(s) && len(s.Command) > 0 {
			fmt.Println(strings.Join(s.Command, " "))
		}
	}
}

func check(p *types.Project) error {
	var wrong []error
	for _, name := range p.ServiceNames() {
		s := p.Services[name]
		for _, text := range problems(p, s) {
			wrong = append(wrong, fmt.Errorf("service %s: %s", name, text))
		}
		fmt.Printf("%-16s %s, waits for %s\n", name, s.Image, waits(s))
	}
	return errors.Join(wrong...)
}

func waits(s types.ServiceConfig) string {
	if len(s.DependsOn) == 0 {
		return "nothing"
	}
	return strings.Join(s.GetDependencies(), ", ")
}

func ours(s types.ServiceConfig) bool { return strings.HasPrefix(s.Image, "vendemmia:") }

func problems(p *types.Project, s types.ServiceConfig) []string {
	out := append(published(s), waitsFor(p, s)...)
	if image, tag, _ := strings.Cut(s.Image, ":"); tag == "" || tag == "latest" {
		out = append(out, "image "+image+" has no version")
	}
	if ours(s) {
		out = append(out, privileges(s)...)
	}
	return out
}

func published(s types.ServiceConfig) (out []string) {
	for _, port := range s.Ports {
		if port.HostIP != "127.0.0.1" {
			out = append(out, "port "+port.Published+" is open to the network")
		}
	}
	return out
}

// waitsFor finds what would never become true: the end of a service that goes on, the
// health of one that is not asked for it.
func waitsFor(p *types.Project, s types.ServiceConfig) (out []string) {
	for name, d := range s.DependsOn {
		other := p.Services[name]
		switch {
		case d.Condition == types.ServiceConditionHealthy && other.HealthCheck == nil:
			out = append(out, "waits for the health of "+name+", which has no check")
		case d.Condition == types.ServiceConditionCompletedSuccessfully && other.Restart != types.RestartPolicyOnFailure:
			out = append(out, "waits for the end of "+name+", which is restarted: "+other.Restart)
		}
	}
	return out
}

func privileges(s types.ServiceConfig) (out []string) {
	for text, missing := range map[string]bool{
		"its root can be written to": !s.ReadOnly,
		"it has capabilities":        !slices.Contains(s.CapDrop, "ALL"),
		"it may gain privileges":     !slices.Contains(s.SecurityOpt, "no-new-privileges:true"),
		"it runs as another user":    s.User != "65532:65532",
	} {
		if missing {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}
