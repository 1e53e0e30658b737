package plugin

import "testing"

func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "29": 29, "010": 10, "2147483647": 1<<31 - 1,
		"": -1, "0x1d": -1, "0b11": -1, "0o7": -1, "1_0": -1, "+1": -1, "-1": -1, " 1": -1, "1.0": -1, "1e1": -1, "٣": -1, "2147483648": -1} {
		got, err := Number(text)
		if (err == nil) != (want >= 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
