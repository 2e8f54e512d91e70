package temporalx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
)

// rereadKey takes the API key from its file for each call: whoever rotates it need
// not start workers again. The key of a profile is taken from the profile's file.
func (t Target) rereadKey(o *client.Options, key string) {
	switch {
	case t.APIKeyFile != "":
		o.Credentials = client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) { return keyIn(t.APIKeyFile) })
	case key != "" && !t.said("TEMPORAL_API_KEY"):
		o.Credentials = client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) {
			p, err := t.profile()
			return p.APIKey, err
		})
	}
}

func (t Target) said(variable string) bool {
	lookup := os.LookupEnv
	if t.Env != nil {
		lookup = t.Env.LookupEnv
	}
	_, ok := lookup(variable)
	return ok
}

func keyIn(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the API key for Temporal: %w", err)
	}
	if key := strings.TrimSpace(string(text)); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("read the API key for Temporal: %s is empty", path)
}

// rereadCertificates takes certificates from their files at each handshake.
func rereadCertificates(c *tls.Config, from *envconfig.ClientConfigTLS) {
	if c == nil || from == nil {
		return
	}
	if from.ClientCertPath != "" {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(from.ClientCertPath, from.ClientKeyPath)
			if err != nil {
				return nil, fmt.Errorf("read the client certificate for Temporal: %w", err)
			}
			return &pair, nil
		}
	}
	if from.ServerCACertPath != "" && !from.DisableHostVerification {
		c.InsecureSkipVerify = true // the usual check knows the authorities of the start only; this one replaces it
		c.VerifyConnection = func(s tls.ConnectionState) error { return verify(s, from.ServerCACertPath) }
	}
}

// verify is the check of the standard library, with the authorities that the file
// names now. See the example of tls.Config.VerifyConnection.
func verify(s tls.ConnectionState, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the authorities that Temporal's certificate is checked against: %w", err)
	}
	o := x509.VerifyOptions{DNSName: s.ServerName, Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool()}
	if !o.Roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("read the authorities that Temporal's certificate is checked against: no certificate in %s", file)
	}
	if len(s.PeerCertificates) == 0 {
		return errors.New("the server showed no certificate")
	}
	for _, c := range s.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err = s.PeerCertificates[0].Verify(o)
	return err
}

// CertificateError says what is wrong with the client certificate of options at a
// moment: connections that stand go on with an expired one, and new ones fail.
func CertificateError(o client.Options, at time.Time) error {
	c := o.ConnectionOptions.TLS
	if c == nil || c.GetClientCertificate == nil {
		return nil
	}
	pair, err := c.GetClientCertificate(nil)
	if err != nil {
		return err
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return fmt.Errorf("read the client certificate for Temporal: %w", err)
	}
	if at.After(leaf.NotAfter) {
		return fmt.Errorf("the client certificate for Temporal expired on %s: put a new one into its file; it is read again by itself", leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}
