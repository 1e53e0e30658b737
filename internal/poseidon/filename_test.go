package poseidon_test

import (
	"strings"
	"testing"

	"overdue/internal/poseidon"
)

// TestFileName holds that one address has one name, however it is written, that each Poseidon has its own, and that the name tells
// the address.
func TestFileName(t *testing.T) {
	for address, want := range map[string]string{
		"":                                 "http_127.0.0.1_7200",
		"http://127.0.0.1:7200/":           "http_127.0.0.1_7200",
		"http://LOCALHOST:7200":            "http_127.0.0.1_7200",
		"https://Poseidon.Example.org":     "https_poseidon.example.org_443",
		"https://poseidon.example.org./":   "https_poseidon.example.org_443",
		"HTTPS://poseidon.example.org:443": "https_poseidon.example.org_443",
		"http://poseidon.example.org":      "http_poseidon.example.org_80",
		"http://poseidon_1:7200":           "http_poseidon%5F1_7200",
		"https://example.org/a/../b":       "https_example.org_443_%2Fa%2F..%2Fb",
		"https://example.org/a_1":          "https_example.org_443_%2Fa%5F1",
		"http://[2001:DB8::1]:7200":        "http_2001%3Adb8%3A%3A1_7200",
		"poseidon:7200":                    "",
	} {
		name, err := poseidon.Options{Address: address}.FileName(func(string) string { return "" })
		if name != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s, %v; want %s", address, name, err, want)
		}
		if want == "" {
			continue
		}
		back := poseidon.FileAddress(name)
		if again, err := (poseidon.Options{Address: back}).FileName(nil); err != nil || again != name {
			t.Errorf("%s tells %s: %s, %v", name, back, again, err)
		}
	}
	for name, want := range map[string]string{
		"https_poseidon.example.org_7200":    "https://poseidon.example.org:7200",
		"http_2001%3Adb8%3A%3A1_7200":        "http://[2001:db8::1]:7200",
		"https_example.org_443_%2Fa%5F1%3Fb": "https://example.org:443/a_1%3Fb",
		"a_b":                                "a_b", "http_localhost_7200": "http_localhost_7200", "ftp_a_1": "ftp_a_1", "http_a_%zz": "http_a_%zz",
	} {
		if got := poseidon.FileAddress(name); got != want {
			t.Errorf("%s tells %s, want %s", name, got, want)
		}
	}
}

// TestFileNameLong holds that a long address gives a name that a file may have, another one for each.
func TestFileNameLong(t *testing.T) {
	long := "https://poseidon.example.org:7200/" + strings.Repeat("x", 230)
	a, errA := poseidon.Options{Address: long + "a"}.FileName(nil)
	b, errB := poseidon.Options{Address: long + "b"}.FileName(nil)
	if errA != nil || errB != nil || a == b || len(a) > 150 || !strings.HasPrefix(a, "https_poseidon.example.org_7200_") {
		t.Errorf("%s, %v; %s, %v", a, errA, b, errB)
	}
	if got := poseidon.FileAddress(a); got != a {
		t.Errorf("%s tells %s", a, got)
	}
}
