package codec

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// New makes `starter codec`.
func New(p *program.Program) *cobra.Command {
	return program.Group("codec", "Let the Web UI read what payload-keys encrypt",
		"Where the setting payload-keys is set, Temporal holds no plain text. A codec\nserver decrypts for the people who look at it.",
		"  starter codec serve", newServe(p))
}

type serve struct {
	*program.Program
	listen string
	ui     []string
}

func newServe(p *program.Program) *cobra.Command {
	c := &serve{Program: p}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve encryption to the Web UI and the Temporal CLI",
		Long: `Encrypt and decrypt payloads for the Web UI (its codec endpoint) and for the
Temporal CLI (--codec-endpoint) with the keys of the setting payload-keys.
Whoever reaches the address reads everything, so it is of this machine only:
for others put a proxy before it that knows who asks. A browser is answered
only for pages of --ui.`,
		Example: "  starter codec serve --ui https://temporal.example.org",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().StringVar(&c.listen, "listen", "127.0.0.1:8081", "loopback address and port")
	cmd.Flags().StringArrayVar(&c.ui, "ui", []string{"http://localhost:8233"}, "origin of a Web UI; may be repeated")
	return cmd
}

func (c *serve) run(cmd *cobra.Command, _ []string) error {
	handler, err := c.handler()
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", c.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; take another address with --listen", c.listen, err)
	}
	address := "http://" + l.Addr().String()
	c.Out.Value(map[string]any{"address": address, "ui": c.ui})
	c.Out.Printf("codec server  %s, for %s; Ctrl-C ends it\n", address, strings.Join(c.ui, ", "))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute}
	context.AfterFunc(cmd.Context(), func() { server.Close() }) // requests are short, and can be repeated
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (c *serve) handler() (http.Handler, error) {
	if _, _, err := net.SplitHostPort(c.listen); err != nil || !temporalx.Loopback(c.listen) {
		return nil, program.Usage("codec serve: --listen %s: whoever reaches it reads everything, so it listens on loopback only, such as 127.0.0.1:8081; for others put a proxy before it that signs people in", c.listen)
	}
	for _, origin := range c.ui {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return nil, program.Usage("codec serve: --ui %q: write scheme, host and port, such as https://temporal.example.org", origin)
		}
	}
	s, err := c.Settings()
	if err != nil {
		return nil, err
	}
	if s.PayloadKeys == "" {
		return nil, program.Usage("codec serve: nothing is encrypted: the setting payload-keys (VENDEMMIA_PAYLOAD_KEYS) is empty")
	}
	return temporalx.CodecServer(c.Secrets(s).Keys(s.PayloadKeys), func(origin string) bool { return slices.Contains(c.ui, origin) })
}
