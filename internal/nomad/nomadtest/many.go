package nomadtest

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Many makes the list of evaluations answer with n more of a status, each for a dispatched job of its own, as long as what
// 1.6.3 sends. A client that does not ask for what it needs gets them all.
func (s *Server) Many(n int, status string, created time.Time) {
	s.Handle("/v1/evaluations", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		from, count := 0, n
		if job := query.Get("job"); job != "" { // each has but one
			if _, err := fmt.Sscanf(job, "runner/dispatch-1796088721-%08x", &from); err != nil || from >= n {
				from = n
			}
			count = min(1, n-from)
		}
		if wanted := query.Get("status"); wanted != "" && wanted != status {
			count = 0
		}
		if page, err := strconv.Atoi(query.Get("per_page")); err == nil && page < count {
			w.Header().Set("X-Nomad-NextToken", fmt.Sprintf("%d.0d75e2c4-3c08-892b-b583-79d87f924874", s.page.Add(1))) // each page has its own
			count = page
		}
		stateHeader(w)
		w.Header().Set("Content-Type", "application/json")
		out := bufio.NewWriterSize(w, 64<<10)
		defer out.Flush()
		_ = out.WriteByte('[')
		for i := from; i < from+count; i++ {
			if i > from {
				_ = out.WriteByte(',')
			}
			if _, err := fmt.Fprintf(out, evaluation, i, created.UnixNano(), i, i, created.UnixNano(), i, status); err != nil {
				return
			}
		}
		_ = out.WriteByte(']')
	})
}

// evaluation is one as 1.6.3 sends it, blocked for want of CPU.
const evaluation = `{"ClassEligibility":{"v1:8850696282534847429":true},"CreateIndex":%d,"CreateTime":%d,"FailedTGAllocs":{"g":{"AllocationTime":51877,` +
	`"ClassExhausted":null,"ClassFiltered":null,"CoalescedFailures":0,"ConstraintFiltered":null,"DimensionExhausted":{"cpu":1},"NodesAvailable":{"dc1":1},` +
	`"NodesEvaluated":1,"NodesExhausted":1,"NodesFiltered":0,"NodesInPool":1,"QuotaExhausted":null,"ResourcesExhausted":{"t":{"CPU":999999,"Cores":0,` +
	`"Devices":null,"DiskMB":0,"IOPS":0,"MemoryMB":0,"MemoryMaxMB":0,"Networks":null}},"ScoreMetaData":null,"Scores":null}},` +
	`"ID":"f7a051d9-68d5-28e4-ca56-%012x","JobID":"runner/dispatch-1796088721-%08x","ModifyTime":%d,"Namespace":"default",` +
	`"PreviousEval":"e4a70f8b-ce69-0f3c-f5d0-%012x","Priority":50,"SnapshotIndex":44,"Status":"%s",` +
	`"StatusDescription":"created to place remaining allocations","TriggeredBy":"queued-allocs","Type":"batch"}`
