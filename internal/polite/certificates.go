package polite

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"time"
)

// tlsWords describes what is wrong with a host's certificate or TLS; "" if the error
// has another cause. Verification cannot be turned off.
func tlsWords(err error) string {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return invalidWords(e)
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the host's certificate is for another name: " + strings.Join(names(e.Certificate), ", ")
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return unknownWords(e)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the host's certificate cannot be verified"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the host does not speak TLS at this port"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok || strings.Contains(err.Error(), "remote error: tls:") {
		return "the host refused the TLS handshake"
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return "the host does not speak TLS at this port"
	}
	return ""
}

func invalidWords(e x509.CertificateInvalidError) string {
	if e.Reason != x509.Expired || e.Cert == nil {
		return "the host's certificate is not valid"
	}
	if now := time.Now(); now.Before(e.Cert.NotBefore) {
		return "the host's certificate is valid only from " + e.Cert.NotBefore.UTC().Format(time.RFC3339)
	}
	return "the host's certificate expired on " + e.Cert.NotAfter.UTC().Format(time.RFC3339)
}

func unknownWords(e x509.UnknownAuthorityError) string {
	if e.Cert != nil && e.Cert.Issuer.String() == e.Cert.Subject.String() {
		return "the host's certificate is self-signed"
	}
	return "the host's certificate is from an unknown authority, or the host does not send the certificates in between"
}

// names returns up to five names of a certificate.
func names(c *x509.Certificate) []string {
	if c == nil {
		return nil
	}
	all := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	return all[:min(len(all), 5)]
}
