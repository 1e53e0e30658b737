package resync

import (
	"context"
	"log/slog"
	"log/syslog"
	"os/user"
	"slices"
	"strconv"
	"strings"

	slogjournal "github.com/systemd/slog-journal"

	"overdue/internal/plugin"
)

// record makes the one line that tells a decision, with who called and all numbers. failure is why Poseidon could not be
// asked, or nil.
func (h *handler) record(r result, f plugin.Finding, failure error) slog.Record {
	line := h.line(level(f.State), f.Subject+": "+f.Problem, r.name(failure))
	line.Time = r.At.Wall.UTC()
	line.AddAttrs(
		slog.Int("downtimes", h.facts.Call.Downtime+h.facts.Call.HostDown),
		slog.String("user", userName()),
	)
	if h.object != "" {
		line.AddAttrs(slog.String("object", h.object))
	}
	if h.facts.Pools != nil {
		line.AddAttrs(slog.Int("idle", r.Before.Idle), slog.Int("used", r.Before.Used), slog.Int("size", r.Before.Size),
			slog.Int("environments", len(h.facts.Pools)))
	}
	if n := h.facts.Nomad; n != nil && n.Trouble == "" {
		runners := n.Environments[h.facts.Environment]
		line.AddAttrs(slog.Int("nomad_idle", runners.Running), slog.Int("nomad_starting", runners.Starting))
	}
	if r.Acted && r.After != (Pool{}) {
		line.AddAttrs(slog.Int("idle_after", r.After.Idle), slog.Int("used_after", r.After.Used))
	}
	if r.Acted {
		line.AddAttrs(slog.String("took", strconv.FormatFloat(r.Took.Seconds(), 'f', 1, 64)))
	}
	if f.Cause != "" {
		line.AddAttrs(slog.String("cause", clean(f.Cause)))
	}
	if r.Note != "" {
		line.AddAttrs(slog.String("note", clean(r.Note)))
	}
	return line
}

// line begins a line of the log, about this moment.
func (h *handler) line(level slog.Level, text, decision string) slog.Record {
	line := slog.NewRecord(h.moment().Wall.UTC(), level, clean(text), 0)
	line.AddAttrs(
		slog.Int("environment", h.facts.Environment),
		slog.String("decision", decision),
		slog.String("call", h.facts.Call.String()),
	)
	return line
}

// misused logs wrong use by Icinga, which no person sees otherwise.
func (by surroundings) misused(args []string, err error) {
	if _, called := given(args, "--state"); !called || slices.Contains(args, "--no-journal") {
		return
	}
	line := slog.NewRecord(by.moment().Wall.UTC(), slog.LevelError, clean(err.Error()), 0)
	environment, _ := given(args, "--environment")
	line.AddAttrs(slog.String("environment", clean(environment)), slog.String("decision", "misused"), slog.String("user", userName()))
	teller{log: by.log}.write(context.Background(), line)
}

// given finds an option in a command line that may not be readable as a whole.
func given(args []string, option string) (value string, is bool) {
	for i, arg := range args {
		if value, is = strings.CutPrefix(arg, option+"="); is {
			return value, true
		}
		if arg == option {
			return strings.Join(args[i+1:min(i+2, len(args))], ""), true
		}
	}
	return "", false
}

// name is the decision as a word to search for.
func (r result) name(failure error) string {
	switch {
	case failure != nil && r.Acted:
		return "interrupted"
	case failure != nil:
		return "no-answer"
	case r.Acted && r.Helped:
		return "helped"
	case r.Acted:
		return "did-not-help"
	}
	return map[Action]string{Nothing: "nothing", Refuse: "refused", Resync: "would-resync", Restart: "would-restart"}[r.Action]
}

// level is how loud an exit code is in the log.
func level(state plugin.State) slog.Level {
	switch state {
	case plugin.OK:
		return slog.LevelInfo
	case plugin.Warning:
		return slog.LevelWarn
	}
	return slog.LevelError
}

func clean(text string) string {
	const most = 1000
	if text = plugin.Clean(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// oneLine is a record as text, without its message, which the output tells already.
func oneLine(line slog.Record) string {
	var b strings.Builder
	_ = slog.NewTextHandler(&b, nil).Handle(context.Background(), line)
	return strings.TrimSpace(b.String())
}

// toJournal writes a record to systemd's journal, with its numbers as fields, or where there is none to syslog. A machine
// without either is no error.
func toJournal(ctx context.Context, line slog.Record) error {
	journal, err := slogjournal.NewHandler(&slogjournal.Options{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		a.Key = "OVERDUE_" + strings.ToUpper(a.Key)
		return a
	}})
	if err == nil {
		if err = journal.Handle(ctx, line); err == nil {
			return nil
		}
	}
	return toSyslog("", "", line)
}

// toSyslog writes a record to a syslog at an address, or to the local one.
func toSyslog(network, address string, line slog.Record) error {
	log, err := syslog.Dial(network, address, syslog.LOG_DAEMON|syslog.LOG_NOTICE, programName)
	if err != nil {
		return err
	}
	defer log.Close()
	text := oneLine(line)
	switch line.Level {
	case slog.LevelError:
		return log.Err(text)
	case slog.LevelWarn:
		return log.Warning(text)
	}
	return log.Info(text)
}
