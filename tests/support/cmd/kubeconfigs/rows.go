package main

// pluginPrints is what the exec plugin of the rows answers.
const pluginPrints = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",` +
	`"status":{"token":"of-plugin"}}`

// row is the texts of KUBECONFIG, the first first, and the context that is asked for. In them, $SERVER is the URL of
// a server, $CERT64 and $KEY64 a certificate and its key. Here is empty where Outrigger is to do as client-go does,
// else what Outrigger does on purpose ("accepted" or "refused").
type row struct {
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Context string   `json:"context"`
	Here    string   `json:"here"`
}

const (
	local  = `server: "$SERVER", insecure-skip-tls-verify: true`
	far    = `server: "https://10.0.0.1:6443"`
	plugin = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}`
)

// configOf is a kubeconfig with one cluster, one user and one context, each with these fields.
func configOf(cluster, user, context string) string {
	return "apiVersion: v1\nkind: Config\ncurrent-context: x\n" +
		"clusters: [{name: c, cluster: {" + cluster + "}}]\n" +
		"users: [{name: u, user: {" + user + "}}]\n" +
		"contexts: [{name: x, context: {" + context + "}}]\n"
}

func config(cluster, user string) string { return configOf(cluster, user, "cluster: c, user: u") }

var rows = []row{
	{Name: "token",
		Files: []string{config(local, `token: t`)}},
	{Name: "token of a file",
		Files: []string{config(local, `tokenFile: token`)}},
	{Name: "token and its file: the file is read again",
		Files: []string{config(local, `token: t, tokenFile: token`)}},
	{Name: "token that is a number", Here: "accepted",
		Files: []string{config(local, `token: 12345`)}},
	{Name: "plugin",
		Files: []string{config(local, plugin)}},
	{Name: "plugin of v1beta1 without a mode",
		Files: []string{config(local, `exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin-of-beta}`)}},
	{Name: "plugin of v1 without a mode", Here: "accepted",
		Files: []string{config(local, `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}`)}},
	{Name: "plugin of v1alpha1",
		Files: []string{config(local, `exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: ./plugin, interactiveMode: Never}`)}},
	{Name: "plugin without a command",
		Files: []string{config(local, `exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`)}},
	{Name: "token and a plugin: the token wins",
		Files: []string{config(local, `token: t, `+plugin)}},
	{Name: "token of a file and a plugin: the token wins",
		Files: []string{config(local, `tokenFile: token, `+plugin)}},
	{Name: "certificate and a plugin: the certificate wins",
		Files: []string{config(local, `client-certificate-data: $CERT64, client-key-data: $KEY64, `+plugin)}},
	{Name: "certificate in files and a plugin: the certificate wins",
		Files: []string{config(local, `client-certificate: cert.pem, client-key: key.pem, `+plugin)}},
	{Name: "certificate, token and a plugin",
		Files: []string{config(local, `client-certificate-data: $CERT64, client-key-data: $KEY64, token: t, `+plugin)}},
	{Name: "certificate without a key",
		Files: []string{config(local, `client-certificate-data: $CERT64`)}},
	{Name: "key without a certificate", Here: "refused",
		Files: []string{config(local, `token: t, client-key-data: $KEY64`)}},
	{Name: "certificate as data and as a file", Here: "accepted",
		Files: []string{config(far, `client-certificate-data: $CERT64, client-key-data: $KEY64, client-certificate: cert.pem, client-key: key.pem`)}},
	{Name: "user name and password", Here: "refused",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {username: a, password: b}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "token, user name and password",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, username: a, password: b}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "authentication provider",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {auth-provider: {name: gcp}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "token and an authentication provider",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, auth-provider: {name: gcp}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "token as it is printed", Here: "refused",
		Files: []string{config(local, `token: REDACTED`)}},
	{Name: "certificate as it is printed",
		Files: []string{config(far, `client-certificate-data: DATA+OMITTED, client-key-data: DATA+OMITTED`)}},
	{Name: "certificate as older versions print it",
		Files: []string{config(far, `client-certificate-data: REDACTED, client-key-data: REDACTED`)}},
	{Name: "authority as it is printed",
		Files: []string{config(far+`, certificate-authority-data: DATA+OMITTED`, `token: t`)}},
	{Name: "authority that is not base64",
		Files: []string{config(far+`, certificate-authority-data: "!"`, `token: t`)}},
	{Name: "authority that is PEM",
		Files: []string{config(far+`, certificate-authority-data: "-----BEGIN CERTIFICATE-----"`, `token: t`)}},
	{Name: "authority as data",
		Files: []string{config(far+`, certificate-authority-data: $CERT64`, `token: t`)}},
	{Name: "authority in a file",
		Files: []string{config(far+`, certificate-authority: cert.pem`, `token: t`)}},
	{Name: "authority without a text",
		Files: []string{config(far+`, certificate-authority-data: ""`, `token: t`)}},
	{Name: "authority and none checked",
		Files: []string{config(far+`, certificate-authority-data: $CERT64, insecure-skip-tls-verify: true`, `token: t`)}},
	{Name: "none checked",
		Files: []string{config(far+`, insecure-skip-tls-verify: true`, `token: t`)}},
	{Name: "none checked, as YAML 1.1 spells it",
		Files: []string{config(far+`, insecure-skip-tls-verify: yes`, `token: t`)}},
	{Name: "none checked, in other letters",
		Files: []string{config(far+`, insecure-skip-tls-verify: True`, `token: t`)}},
	{Name: "none checked, perhaps",
		Files: []string{config(far+`, insecure-skip-tls-verify: maybe`, `token: t`)}},
	{Name: "name of the certificate",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", tls-server-name: kubernetes}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "proxy",
		Files: []string{config(far+`, proxy-url: "http://127.0.0.1:3128"`, `token: t`)}},
	{Name: "proxy by socks5",
		Files: []string{config(far+`, proxy-url: "socks5://127.0.0.1:3128"`, `token: t`)}},
	{Name: "proxy by ftp",
		Files: []string{config(far+`, proxy-url: "ftp://127.0.0.1:3128"`, `token: t`)}},
	{Name: "server without a scheme", Here: "refused",
		Files: []string{config(`server: "10.0.0.1:6443"`, `token: t`)}},
	{Name: "server in clear text: credentials are kept back",
		Files: []string{config(`server: "http://10.0.0.1:8080"`, `token: t, client-certificate-data: $CERT64, client-key-data: $KEY64`)}},
	{Name: "server with a path",
		Files: []string{config(`server: "https://10.0.0.1/clusters/a"`, `token: t`)}},
	{Name: "server with a slash at its end",
		Files: []string{config(`server: "https://10.0.0.1:6443/"`, `token: t`)}},
	{Name: "no server",
		Files: []string{config(``, `token: t`)}},
	{Name: "no user in the context",
		Files: []string{configOf(far, `token: t`, `cluster: c`)}},
	{Name: "user that is not there", Here: "refused",
		Files: []string{configOf(far, `token: t`, `cluster: c, user: v`)}},
	{Name: "cluster that is not there",
		Files: []string{configOf(far, `token: t`, `cluster: d, user: u`)}},
	{Name: "namespace",
		Files: []string{configOf(far, `token: t`, `cluster: c, user: u, namespace: shop`)}},
	{Name: "namespace without a text",
		Files: []string{configOf(far, `token: t`, `cluster: c, user: u, namespace: ""`)}},
	{Name: "impersonation",
		Files: []string{config(far, `token: t, as: root, as-groups: [a, b]`)}},
	{Name: "groups without a user to impersonate",
		Files: []string{config(far, `token: t, as-groups: [a]`)}},
	{Name: "context that is not current", Context: "other",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: other, context: {cluster: c, user: u, namespace: of-other}}, {name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "context that is not there", Context: "z",
		Files: []string{config(far, `token: t`)}},
	{Name: "no current context",
		Files: []string{`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "a user twice",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: first}}, {name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "a broken user who is not the one",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: v, user: {exec: {apiVersion: client.authentication.k8s.io/v1alpha1}}}, {name: w, user: {client-certificate-data: DATA+OMITTED}}, {name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "unknown keys",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", disable-compression: true, colour: red}}]
users: [{name: u, user: {token: t, colour: red}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
preferences: {colors: true}
colour: red
`}},
	{Name: "JSON",
		Files: []string{`{"apiVersion":"v1","kind":"Config","current-context":"x","clusters":[{"name":"c","cluster":{"server":"https://10.0.0.1:6443"}}],"users":[{"name":"u","user":{"token":"t"}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}`}},
	{Name: "no apiVersion and no kind",
		Files: []string{`current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "an apiVersion that is not known",
		Files: []string{`apiVersion: v2
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "another kind",
		Files: []string{`apiVersion: v1
kind: ConfigMap
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "lists that are null",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
clusters: null
users: null
contexts: null
`}},
	{Name: "two files: each name from the first that has it",
		Files: []string{config(far, `token: first`), configOf(`server: "https://10.0.0.2"`, `token: second`, `cluster: c, user: u, namespace: second`)}},
	{Name: "two files: fields of one entry are not mixed",
		Files: []string{config(far, `token: first`), `apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", tls-server-name: second}}]
users: [{name: u, user: {as: second}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "two files: the current context of the first",
		Files: []string{config(far, `token: t`), `apiVersion: v1
kind: Config
current-context: other
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`}},
	{Name: "two files: the first has no current context",
		Files: []string{`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`, `apiVersion: v1
kind: Config
current-context: x
`}},
	{Name: "two files: the context in one, the user in the other",
		Files: []string{`apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
`, `apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
`}},
	{Name: "two files: the first is empty",
		Files: []string{``, config(far, `token: t`)}},
}
