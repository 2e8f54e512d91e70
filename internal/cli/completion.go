package cli

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type completion struct{ *program.Program }

func newCompletion(p *program.Program) *cobra.Command {
	c := &completion{p}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print the script that completes commands in a shell",
		Long: `Print the script that completes commands, campaign names, fetchers, outcomes and
runs in bash, zsh, fish or powershell.

  bash   starter completion bash > /etc/bash_completion.d/starter
  zsh    starter completion zsh > "${fpath[1]}/_starter"
  fish   starter completion fish > ~/.config/fish/completions/starter.fish`,
		Example: "  source <(starter completion bash)",
		Args:    cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), RunE: c.run,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
	}
}

func (c *completion) run(cmd *cobra.Command, args []string) error {
	root, w := cmd.Root(), c.Env.Stdout
	switch args[0] {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	default:
		return root.GenPowerShellCompletionWithDesc(w)
	}
}
