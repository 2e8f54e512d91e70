package engine

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/vendemmia/vendemmia/workflows"
)

func TestLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"localhost:7233": true, "127.0.0.1:7233": true, "[::1]:7233": true, "temporal.internal:7233": false, "10.0.0.1:7233": false, "law.abc.tmprl.cloud:7233": false,
	} {
		require.Equal(t, want, Target{Address: address}.Loopback(), address)
	}
}

func TestErrorsInWordsOfOurs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want error
	}{
		{serviceerror.NewNotFound("x"), ErrNotFound},
		{serviceerror.NewPermissionDenied("x", ""), ErrForbidden},
		{serviceerror.NewUnimplemented("x"), ErrUnsupported},
	} {
		err := translate("look at news", c.err)
		require.ErrorIs(t, err, c.want)
		require.ErrorContains(t, err, "look at news: ")
	}
	require.NoError(t, translate("x", nil))
	require.ErrorContains(t, translate("x", serviceerror.NewNamespaceNotFound("law")), "temporal operator namespace create")
	require.ErrorIs(t, closed("cancel news-1", serviceerror.NewNotFound("workflow execution already completed")), ErrClosed)
}

func TestSettingsComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"TEMPORAL_ADDRESS": "there:7233", "TEMPORAL_NAMESPACE": "law", "TEMPORAL_CONFIG_FILE": t.TempDir() + "/none.toml"}
	env := Environment{Getenv: func(name string) string { return vars[name] }}
	o, err := Options(Where{}, env)
	require.NoError(t, err)
	require.Equal(t, Target{Address: "there:7233", Namespace: "law"}, TargetOf(o))
	o, err = Options(Where{Address: "here:1", Namespace: "mine"}, env)
	require.NoError(t, err)
	require.Equal(t, "namespace mine @ here:1", TargetOf(o).String(), "flags are stronger")
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"TEMPORAL_ADDRESS": "127.0.0.1:1", "TEMPORAL_CONFIG_FILE": t.TempDir() + "/none.toml"}
	o, err := Options(Where{}, Environment{Getenv: func(name string) string { return vars[name] }})
	require.NoError(t, err)
	_, err = Dial(t.Context(), o, workflows.Instance{})
	require.ErrorContains(t, err, "connect to Temporal at 127.0.0.1:1")
	require.ErrorContains(t, err, "starter dev")
	require.ErrorContains(t, unreachable(Target{Address: "far:7233"}, errors.New("x")), "check address, TLS and key")
}
