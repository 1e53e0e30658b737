package kube

import (
	"io"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// silence keeps client-go from writing to stderr, which Icinga shows as the first line of a check's output. Everything it
// would say is in the errors too.
var silence = sync.OnceFunc(func() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	klog.SetLogger(logr.Discard())
	runtime.ErrorHandlers = nil
})
