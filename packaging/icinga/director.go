package main

import (
	"encoding/json"
	"strconv"
	"strings"
)

// basket is a Director basket with the same commands and templates, and a data field for each variable.
func basket(commands []command, templates []template) string {
	b := map[string]map[string]any{"Command": {}, "Datafield": {}, "ServiceTemplate": {}}
	ids := map[string]int{}
	for _, c := range commands {
		arguments, fields := map[string]any{}, []any{}
		for _, o := range c.options {
			arguments["--"+o.flag.Name] = directorArgument(o)
			name, ours := variableIn(o.value)
			if !ours {
				continue
			}
			id, known := ids[name]
			if !known {
				id = len(ids) + 1
				ids[name] = id
				b["Datafield"][strconv.Itoa(id)] = dataField(name, o)
			}
			if !c.event || !known { // what the check has as well is asked for once
				fields = append(fields, map[string]any{"datafield_id": id, "is_required": "n", "var_filter": nil})
			}
		}
		method, vars := "PluginCheck", map[string]any{}
		if c.event {
			method = "PluginEvent"
		}
		for _, v := range c.defaults {
			vars[v.name] = v.value
		}
		b["Command"][c.name] = map[string]any{
			"object_name": c.name, "object_type": "object", "methods_execute": method, "command": c.program, "timeout": int(c.timeout.Seconds()),
			"arguments": arguments, "fields": fields, "vars": vars, "imports": []any{}, "disabled": false, "zone": nil,
		}
	}
	for _, t := range templates {
		b["ServiceTemplate"][t.name] = serviceTemplate(t)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

func directorArgument(o option) map[string]any {
	a := map[string]any{"description": o.description}
	switch {
	case o.expression:
		a["set_if"], a["set_if_format"] = o.value, "expression"
	case o.kind == condition:
		a["set_if"] = o.value
	default:
		a["value"] = o.value
	}
	if o.kind == repeated || o.kind == together {
		a["repeat_key"] = o.kind == repeated
	}
	if o.required {
		a["required"] = true
	}
	return a
}

// variableIn is the custom variable that an argument takes its value from: not the state of the service, nor an expression.
func variableIn(value string) (name string, ours bool) {
	name = strings.Trim(value, "$")
	return name, "$"+name+"$" == value && !strings.Contains(name, ".")
}

func dataField(name string, o option) map[string]any {
	datatype := "String"
	switch {
	case o.kind == condition:
		datatype = "Boolean"
	case o.kind == repeated:
		datatype = "Array"
	}
	caption := strings.ReplaceAll(name, "_", " ")
	return map[string]any{
		"varname": name, "caption": strings.ToUpper(caption[:1]) + caption[1:], "description": o.description,
		"datatype": `Icinga\Module\Director\DataType\DataType` + datatype, "format": nil, "settings": map[string]any{},
	}
}

func serviceTemplate(t template) map[string]any {
	vars := map[string]any{}
	for _, v := range t.vars() {
		vars[v.name] = v.value
	}
	s := map[string]any{
		"object_name": t.name, "object_type": "template", "imports": []any{}, "fields": []any{}, "use_agent": nil,
		"check_command": t.check, "check_interval": int(t.interval.Seconds()), "retry_interval": int(retry.Seconds()), "max_check_attempts": t.attempts,
		"enable_flapping": true, "notes": t.notes, "notes_url": pages + t.page, "vars": vars,
	}
	if t.handler != "" {
		s["event_command"], s["enable_event_handler"] = t.handler, true
	}
	return s
}
