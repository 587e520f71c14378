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

var rows = []row{
	{
		Name: "token",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token of a file",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token and its file: the file is read again",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token that is a number",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: 12345}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "accepted",
	},
	{
		Name: "plugin",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "plugin of v1beta1 without a mode",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin-of-beta}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "plugin of v1 without a mode",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "accepted",
	},
	{
		Name: "plugin of v1alpha1",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "plugin without a command",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token and a plugin: the token wins",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token of a file and a plugin: the token wins",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {tokenFile: token, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "certificate and a plugin: the certificate wins",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {client-certificate-data: $CERT64, client-key-data: $KEY64, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "certificate in files and a plugin: the certificate wins",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {client-certificate: cert.pem, client-key: key.pem, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "certificate, token and a plugin",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {client-certificate-data: $CERT64, client-key-data: $KEY64, token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "certificate without a key",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {client-certificate-data: $CERT64}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "key without a certificate",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, client-key-data: $KEY64}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "refused",
	},
	{
		Name: "certificate as data and as a file",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {client-certificate-data: $CERT64, client-key-data: $KEY64, client-certificate: cert.pem, client-key: key.pem}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "accepted",
	},
	{
		Name: "user name and password",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {username: a, password: b}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "refused",
	},
	{
		Name: "token, user name and password",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, username: a, password: b}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authentication provider",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {auth-provider: {name: gcp}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token and an authentication provider",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t, auth-provider: {name: gcp}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "token as it is printed",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: REDACTED}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "refused",
	},
	{
		Name: "certificate as it is printed",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {client-certificate-data: DATA+OMITTED, client-key-data: DATA+OMITTED}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "certificate as older versions print it",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {client-certificate-data: REDACTED, client-key-data: REDACTED}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority as it is printed",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: DATA+OMITTED}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority that is not base64",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: "!"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority that is PEM",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: "-----BEGIN CERTIFICATE-----"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority as data",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: $CERT64}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority in a file",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority: cert.pem}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority without a text",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: ""}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "authority and none checked",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: $CERT64, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "none checked",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "none checked, as YAML 1.1 spells it",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: yes}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "none checked, in other letters",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: True}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "none checked, perhaps",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", insecure-skip-tls-verify: maybe}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "name of the certificate",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", tls-server-name: kubernetes}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "proxy",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", proxy-url: "http://127.0.0.1:3128"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "proxy by socks5",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", proxy-url: "socks5://127.0.0.1:3128"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "proxy by ftp",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", proxy-url: "ftp://127.0.0.1:3128"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "server without a scheme",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Here: "refused",
	},
	{
		Name: "server in clear text: credentials are kept back",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "http://10.0.0.1:8080"}}]
users: [{name: u, user: {token: t, client-certificate-data: $CERT64, client-key-data: $KEY64}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "server with a path",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1/clusters/a"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "server with a slash at its end",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443/"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "no server",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "no user in the context",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c}}]
`,
		},
	},
	{
		Name: "user that is not there",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: v}}]
`,
		},
		Here: "refused",
	},
	{
		Name: "cluster that is not there",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: d, user: u}}]
`,
		},
	},
	{
		Name: "namespace",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]
`,
		},
	},
	{
		Name: "namespace without a text",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: ""}}]
`,
		},
	},
	{
		Name: "impersonation",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t, as: root, as-groups: [a, b]}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "groups without a user to impersonate",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t, as-groups: [a]}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "context that is not current",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: other, context: {cluster: c, user: u, namespace: of-other}}, {name: x, context: {cluster: c, user: u}}]
`,
		},
		Context: "other",
	},
	{
		Name: "context that is not there",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
		Context: "z",
	},
	{
		Name: "no current context",
		Files: []string{
			`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "a user twice",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: first}}, {name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "a broken user who is not the one",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: v, user: {exec: {apiVersion: client.authentication.k8s.io/v1alpha1}}}, {name: w, user: {client-certificate-data: DATA+OMITTED}}, {name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "unknown keys",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", disable-compression: true, colour: red}}]
users: [{name: u, user: {token: t, colour: red}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
preferences: {colors: true}
colour: red
`,
		},
	},
	{
		Name: "JSON",
		Files: []string{
			`{"apiVersion":"v1","kind":"Config","current-context":"x","clusters":[{"name":"c","cluster":{"server":"https://10.0.0.1:6443"}}],"users":[{"name":"u","user":{"token":"t"}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}`,
		},
	},
	{
		Name: "no apiVersion and no kind",
		Files: []string{
			`current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "an apiVersion that is not known",
		Files: []string{
			`apiVersion: v2
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "another kind",
		Files: []string{
			`apiVersion: v1
kind: ConfigMap
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "lists that are null",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: null
users: null
contexts: null
`,
		},
	},
	{
		Name: "two files: each name from the first that has it",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: first}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.2"}}]
users: [{name: u, user: {token: second}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: second}}]
`,
		},
	},
	{
		Name: "two files: fields of one entry are not mixed",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: first}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", tls-server-name: second}}]
users: [{name: u, user: {as: second}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "two files: the current context of the first",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
			`apiVersion: v1
kind: Config
current-context: other
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
	{
		Name: "two files: the first has no current context",
		Files: []string{
			`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
			`apiVersion: v1
kind: Config
current-context: x
`,
		},
	},
	{
		Name: "two files: the context in one, the user in the other",
		Files: []string{
			`apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
`,
		},
	},
	{
		Name: "two files: the first is empty",
		Files: []string{
			``,
			`apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
		},
	},
}
