package kube

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfigFiles returns the files to read, or none if nothing asks for a kubeconfig. As with kubectl, missing files of
// the list in $KUBECONFIG do not matter as long as one is there, and ~/.kube/config may be absent.
func (o Options) kubeconfigFiles(s Surroundings) ([]string, error) {
	if o.Kubeconfig != "" {
		return []string{o.Kubeconfig}, present(o.Kubeconfig)
	}
	if list := s.getenv("KUBECONFIG"); list != "" {
		var files []string
		for _, file := range filepath.SplitList(list) {
			if err := present(file); file != "" && !errors.Is(err, fs.ErrNotExist) {
				if err != nil {
					return nil, err
				}
				files = append(files, file)
			}
		}
		if len(files) == 0 {
			return nil, &Error{What: "$KUBECONFIG names no file that exists: " + clean(list), Remedy: "correct it, or give --kubeconfig FILE"}
		}
		return files, nil
	}
	home := homeConfig(s)
	if home == "" {
		return nil, nil
	}
	err := present(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []string{home}, err
}

func homeConfig(s Surroundings) string {
	if home := s.getenv("HOME"); home != "" {
		return filepath.Join(home, ".kube", "config")
	}
	return ""
}

func absentHomeConfig(s Surroundings) string {
	if file := homeConfig(s); file != "" {
		return "no " + file
	}
	return "no ~/.kube/config (HOME is not set)"
}

const maxConfig = 4 << 20

// present says why a file cannot be read, with its name.
func present(file string) error {
	if info, err := os.Stat(file); err == nil && (info.Mode()&fs.ModeCharDevice != 0 || info.Size() > maxConfig) {
		return &Error{What: "the kubeconfig " + file + " is a device, or larger than 4 MiB", Remedy: "name the right file"}
	}
	f, err := os.Open(file)
	if err != nil {
		e := &Error{What: "cannot read the kubeconfig: " + clean(err.Error()), Remedy: readable(file), Err: err}
		if errors.Is(err, fs.ErrNotExist) {
			e.Remedy = "correct the path, or copy the kubeconfig there"
		}
		return e
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return &Error{What: "the kubeconfig " + file + " is a directory", Remedy: "name the file"}
	}
	return nil
}

// fromKubeconfig loads the files, merged as kubectl merges them, and takes one context.
func (o Options) fromKubeconfig(files []string) (*rest.Config, login, error) {
	name := strings.Join(files, ":")
	config, err := (&clientcmd.ClientConfigLoadingRules{Precedence: files}).Load()
	if err != nil {
		return nil, login{}, &Error{What: "the kubeconfig " + name + " is broken: " + clean(err.Error()), Remedy: showConfig, Err: err}
	}
	context, err := o.context(config, name)
	if err != nil {
		return nil, login{}, err
	}
	from := login{
		source: "kubeconfig " + name + ", context " + clean(context),
		remedy: "renew the credentials in kubeconfig " + name + ", context " + clean(context),
		caFix:  "set the right certificate-authority in kubeconfig " + name,
	}
	entry := config.Contexts[context]
	if err := from.takeCluster(config.Clusters[entry.Cluster], entry.Cluster); err != nil {
		return nil, login{}, err
	}
	if err := from.takeUser(config.AuthInfos[entry.AuthInfo]); err != nil {
		return nil, login{}, err
	}
	result, err := clientcmd.NewNonInteractiveClientConfig(*config, context, nil, nil).ClientConfig()
	if err != nil {
		return nil, login{}, from.bad(clean(err.Error()), showConfig, err)
	}
	if o.InsecureSkipTLSVerify {
		result.TLSClientConfig.Insecure, result.CAFile, result.CAData = true, "", nil
	}
	return result, from, nil
}

const showConfig = "correct it; kubectl config view shows it"

func (l *login) bad(what, remedy string, err error) error {
	return &Error{What: l.source + ": " + what, Remedy: remedy, Err: err}
}

func (l *login) takeCluster(cluster *api.Cluster, name string) error {
	if cluster == nil {
		return l.bad("it names the cluster "+clean(name)+", which is not there", showConfig, nil)
	}
	if !strings.Contains(cluster.Server, "://") && cluster.Server != "" {
		cluster.Server = "https://" + cluster.Server // clientcmd would drop the credentials
	}
	l.caFile = cluster.CertificateAuthority
	return nil
}

// takeUser refuses what cannot work and keeps a credential plugin from asking questions. A user may be absent: not every
// server wants a login.
func (l *login) takeUser(user *api.AuthInfo) error {
	switch {
	case user == nil:
	case user.AuthProvider != nil:
		return l.bad("the auth-provider "+clean(user.AuthProvider.Name)+" is no longer supported by Kubernetes",
			"use a service account's token (tokenFile) or an exec plugin", nil)
	case user.TokenFile != "":
		l.remedy = "write a new token to " + user.TokenFile
		_, err := readToken(user.TokenFile)
		return err
	case user.Exec != nil:
		user.Exec.StdinUnavailable = true
		l.plugin = user.Exec.Command
	}
	return nil
}

// context returns the name of the context to use, which the kubeconfig holds.
func (o Options) context(config *api.Config, name string) (string, error) {
	context := o.Context
	if context == "" {
		context = config.CurrentContext
	}
	if config.Contexts[context] != nil {
		return context, nil
	}
	var known []string
	for name := range config.Contexts {
		known = append(known, name)
	}
	slices.Sort(known)
	what := fmt.Sprintf("kubeconfig %s has no context %s", name, clean(context))
	if context == "" {
		what = fmt.Sprintf("kubeconfig %s has no current context", name)
	}
	if len(known) == 0 {
		return "", &Error{What: what, Remedy: "it holds no context at all: is it the right file?"}
	}
	return "", &Error{What: what, Remedy: "give --context with one of: " + clean(strings.Join(known, ", "))}
}
