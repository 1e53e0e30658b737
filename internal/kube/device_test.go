package kube

import "testing"

// A file that never ends must not be read.
func TestDevicesAreNoFiles(t *testing.T) {
	_, err := Connect(Options{Kubeconfig: "/dev/zero"}, Surroundings{})
	wantError(t, nil, err, "the kubeconfig /dev/zero is a device, or larger than 4 MiB", "name the right file")
	token := writeFile(t, "token", "t")
	wantError(t, nil, ask(t, Options{Server: "https://127.0.0.1:1", TokenFile: token, CAFile: "/dev/zero"}), "the certificate authority /dev/zero is a device, or larger than 4 MiB", "name the right file")
}
