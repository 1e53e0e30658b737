package nomad_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
)

// With verify_https_client the servers want a certificate of the client's.
func TestMTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client.global.nomad"}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s := nomadtest.NewUnstarted()
	clients := x509.NewCertPool()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	clients.AddCert(certificate)
	s.HTTP().TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	s.HTTP().StartTLS()
	t.Cleanup(s.Close)
	ca := write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.HTTP().Certificate().Raw})))
	o := nomad.Options{Addresses: []string{s.URL()}, CAFile: ca}
	if _, err := namespaces(o, nil); err == nil || !strings.Contains(err.Error(), "refused the TLS handshake") {
		t.Errorf("without: %v", err)
	}
	o.ClientCert = write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	vars := map[string]string{"NOMAD_CLIENT_KEY": write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})))}
	if _, err := namespaces(o, vars); err != nil {
		t.Errorf("with: %v", err)
	}
}
