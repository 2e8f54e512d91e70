package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/store"
)

// checkTimeout bounds one question of /ready.
const checkTimeout = 5 * time.Second

// health answers /live, /ready, /metrics and /debug/pprof.
type health struct {
	service *service
	store   *store.Store
	server  *http.Server
	address string // where it listens, once started
}

func newHealth(life fx.Lifecycle, s config.Settings, st *service, opened *store.Store, m *metrics, log *slog.Logger) *health {
	h := &health{service: st, store: opened}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "live") })
	mux.HandleFunc("GET /ready", h.ready)
	mux.Handle("GET /metrics", m.handler())
	mux.HandleFunc("GET /debug/pprof/", fromHere(pprof.Index)) // where the time goes
	mux.HandleFunc("GET /debug/pprof/profile", fromHere(pprof.Profile))
	h.server = &http.Server{Handler: mux, ReadHeaderTimeout: checkTimeout, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	if s.HealthAddr != "" {
		life.Append(fx.StartStopHook(func(ctx context.Context) error { return h.listen(ctx, s.HealthAddr, log) }, h.server.Shutdown))
	}
	return h
}

func (h *health) listen(ctx context.Context, address string, log *slog.Logger) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", onLoopback(address))
	if err != nil {
		return fmt.Errorf("listen for health questions (--health-address): %w", err)
	}
	h.address = listener.Addr().String()
	log.Info("answers /live, /ready and /metrics", "address", h.address)
	go func() {
		if err := h.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the health server ended", "error", err)
		}
	}()
	return nil
}

// onLoopback is an address to listen at: without a host, this machine's own.
func onLoopback(address string) string {
	if strings.HasPrefix(address, ":") {
		return "127.0.0.1" + address
	}
	return address
}

// fromHere answers this machine alone: what a process does is not for a network.
func fromHere(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !from.Addr().Unmap().IsLoopback() {
			http.Error(w, "profiles are for this machine alone: ask 127.0.0.1", http.StatusForbidden)
			return
		}
		answer(w, r)
	}
}

// ready says whether this worker takes work now, and why not.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	if state := cmp.Or(h.service.state(), h.service.roster.doors.all.closed()); state != "" {
		http.Error(w, state, http.StatusServiceUnavailable)
		return
	}
	if err := h.store.Check(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := h.service.reachesTemporal(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}
