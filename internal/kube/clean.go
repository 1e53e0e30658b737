package kube

import "overdue/internal/web"

func clean(s string) string { return web.Clean(s) }
