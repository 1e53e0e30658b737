package poseidon

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestDepartureAfterTheTimer holds that nothing leaves when its time is over and the timer has not fired: the process was stopped.
func TestDepartureAfterTheTimer(t *testing.T) {
	d := &departure{body: strings.NewReader("{}"), end: time.Now().Add(-time.Second)}
	if n, err := d.Read(make([]byte, 8)); n != 0 || !errors.Is(err, errLate) || !d.forbid() {
		t.Errorf("%d bytes left, %v", n, err)
	}
	d = &departure{body: strings.NewReader("{}"), end: time.Now().Add(time.Hour)}
	if n, err := d.Read(make([]byte, 8)); n != 2 || err != nil || d.forbid() {
		t.Errorf("in time: %d bytes, %v", n, err)
	}
}
