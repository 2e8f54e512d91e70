package polite

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"time"
)

// tlsTrouble describes what is wrong with a host's certificate or TLS, and what to do; ""
// if the error has another cause. Verification cannot be turned off.
func tlsTrouble(err error, host string, pinned bool) (words, advice string) {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return invalidWords(e)
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the host's certificate is for another name: " + strings.Join(names(e.Certificate), ", "), "write an address with a name that the certificate is for"
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return unknownWords(e, host, pinned)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the host's certificate cannot be verified", askOperator
	}
	return handshakeWords(err)
}

const askOperator = "ask the host's operator for a valid certificate"

func handshakeWords(err error) (words, advice string) {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return "the host does not speak TLS at this port", "write http:// if it has no TLS, or the port that has"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok || strings.Contains(err.Error(), "remote error: tls:") {
		return "the host refused the TLS handshake", ""
	}
	return "", ""
}

func invalidWords(e x509.CertificateInvalidError) (words, advice string) {
	if e.Reason != x509.Expired || e.Cert == nil {
		return "the host's certificate is not valid", askOperator
	}
	if now := time.Now(); now.Before(e.Cert.NotBefore) {
		return "the host's certificate is valid only from " + e.Cert.NotBefore.UTC().Format(time.RFC3339), "look at the clock of this machine"
	}
	return "the host's certificate expired on " + e.Cert.NotAfter.UTC().Format(time.RFC3339), "ask the host's operator to renew it"
}

// unknownWords: a chain with a gap and an authority that no one knows look alike from here.
func unknownWords(e x509.UnknownAuthorityError, host string, pinned bool) (words, advice string) {
	pin := "or pin the authority in the file: hosts: {" + host + ": {ca: …}}"
	switch {
	case e.Cert != nil && e.Cert.Issuer.String() == e.Cert.Subject.String() && !pinned:
		return "the host's certificate is self-signed", askOperator + ", " + pin
	case pinned:
		return "the host's certificate is not from the pinned authority, or the host does not send the certificates in between",
			"ask its operator to send the whole chain, or correct ca of host " + host
	default:
		return "the host's certificate is from an unknown authority, or the host does not send the certificates in between",
			"ask its operator to send the whole chain, " + pin
	}
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
