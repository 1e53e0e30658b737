package evaluation

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
)

// slow is a way to servers that take a time for each answer.
type slow struct {
	next http.RoundTripper
	each time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.each):
		return s.next.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// leftAlone are pending jobs whose evaluations are closed, and one that is younger and lost.
func leftAlone(n int) func(*nomadtest.Server) {
	const stub = `{"ID":"%s","Namespace":"default","Type":"batch","Status":"pending","Stop":false,"SubmitTime":%d}`
	return func(s *nomadtest.Server) {
		jobs, evaluations := []string{fmt.Sprintf(stub, "lost", 1796088720927630800)}, []string{}
		for i := range n {
			jobs = append(jobs, fmt.Sprintf(stub, fmt.Sprintf("alone%03d", i), 1796080000000000000+i))
			evaluations = append(evaluations, fmt.Sprintf(`{"ID":"e%d","JobID":"alone%03d","Namespace":"default","Status":"complete","CreateTime":1796080000000000000}`, i, i))
		}
		s.Jobs("[" + strings.Join(jobs, ",") + "]")
		s.Evaluations("[" + strings.Join(evaluations, ",") + "]")
	}
}

// Jobs that are left alone only warn. However many, within the bound on requests they must not hide the lost one behind them.
func TestLostBehindThoseLeftAlone(t *testing.T) {
	s := start(t, leftAlone(130))
	out, code := run(t, s, "--now", tenPastTwo, "-v")
	if code != 2 || !strings.Contains(first(out), "job lost lost: pending, no evaluation") || !strings.Contains(out, "20 jobs left alone") ||
		!strings.Contains(out, "110 more jobs seem to be left alone too") || !strings.Contains(out, "jobs_unverified=110;") || strings.Contains(out, "not looked at") {
		t.Errorf("exit %d: %s", code, out)
	}
	if n := len(s.Requests()); n > 210 {
		t.Errorf("%d requests", n)
	}
	s = start(t, leftAlone(400))
	out, code = run(t, s, "--now", tenPastTwo, "-v")
	if code != 1 || !strings.Contains(out, "more jobs pending longer than the limit, not looked at") || len(s.Requests()) > 210 {
		t.Errorf("%d requests, exit %d: %s", len(s.Requests()), code, out)
	}
}

// Slow servers and much to look at: what there is no time for is told, and the run comes to its end.
func TestSlowServers(t *testing.T) {
	much := func(s *nomadtest.Server) {
		leftAlone(130)(s)
		deadServices(s, make([]int, 130)...)
		var list []string
		for i := range 80 {
			list = append(list, fmt.Sprintf(`{"ID":"r%d","JobID":"remains%d","Namespace":"default","CreateTime":1796080000000000000,"WaitUntil":"2026-12-01T01:10:00Z","Status":"pending"}`, i, i),
				fmt.Sprintf(`{"ID":"f%d","JobID":"failed%d","Namespace":"default","CreateTime":1796090259281752300,"Status":"failed","CreateIndex":5}`, i, i))
		}
		s.Evaluations("[" + strings.Join(list, ",") + "]")
	}
	for name, r := range map[string]struct {
		region func(*nomadtest.Server)
		each   time.Duration
		says   []string
	}{
		"0.12 s":           {leftAlone(130), 120 * time.Millisecond, []string{"more jobs pending longer than the limit, not looked at: they have no open evaluation, and the servers answer too slowly to look at each within --timeout"}},
		"much, and 0.12 s": {much, 120 * time.Millisecond, []string{"more jobs pending", "dead services not looked at"}},
		"much, and 0.5 s":  {much, 500 * time.Millisecond, []string{"more jobs pending", "dead services not looked at", "more failed evaluations not looked at"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, r.region)
			o := inTime(t, 20*time.Second, slow{nomadtest.Memory{"a": s, "b": s, "c": s}, r.each})
			text := o.String() + "\n" + o.verdict.Summary
			for _, says := range r.says {
				if o.err != nil || !strings.Contains(text, says) {
					t.Errorf("no %q in %s", says, text)
				}
			}
		})
	}
}
