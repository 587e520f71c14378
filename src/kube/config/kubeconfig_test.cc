#include "kube/config/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "certificates.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr char kConfig[] = R"(apiVersion: v1
kind: Config
current-context: main
clusters:
- name: prod
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
contexts:
- name: main
  context: {cluster: prod, user: jane, namespace: shop}
- name: other
  context: {cluster: prod, user: robot}
users:
- name: jane
  user:
    client-certificate-data: Q0VSVA==
    client-key: /keys/jane.key
    as: admin
    as-groups: [a, b]
- name: robot
  user:
    tokenFile: token
)";

absl::StatusOr<ClientConfig> Choose(const std::string& text, const std::string& context = "") {
  auto file = ParseKubeconfig("/home/me/config", text);
  if (!file.ok()) return file.status();
  return ChooseContext({*file}, context);
}

TEST(Kubeconfig, GivesWhatItsCurrentContextNames) {
  const auto config = Choose(kConfig);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->ca.file, "/home/me/pki/ca.crt");
  EXPECT_EQ(config->tls_server_name, "kubernetes");
  EXPECT_EQ(config->proxy_url, "http://proxy:3128");
  EXPECT_EQ(config->client_cert.data, "CERT");
  EXPECT_EQ(config->client_cert.from, "/home/me/config: users 'jane' client-certificate-data");
  EXPECT_EQ(config->client_key.file, "/keys/jane.key");
  EXPECT_EQ(config->as_user, "admin");
  EXPECT_THAT(config->as_groups, ElementsAre("a", "b"));
  EXPECT_EQ(config->namespace_, "shop");
}

TEST(Kubeconfig, GivesTheContextThatWasAskedFor) {
  const auto config = Choose(kConfig, "other");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->token_file, "/home/me/token");
  EXPECT_EQ(config->namespace_, "default");
}

TEST(Kubeconfig, MayBeJson) {
  const auto config = Choose(R"({"current-context":"c","clusters":[{"name":"k","cluster":
      {"server":"https://a","insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":
      {"token":"abc"}}],"contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}]})");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->insecure);
  EXPECT_EQ(config->token, "abc");
}

TEST(Kubeconfig, DescribesAnExecPlugin) {
  const auto config = Choose(R"(
current-context: c
clusters:
- name: k
  cluster:
    server: https://a
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: x, number: 5, text: "5", list: [true, null]}
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: bin/login
      args: [--cluster, prod]
      env: [{name: A, value: b}, {name: EMPTY, value: ""}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: IfAvailable
contexts: [{name: c, context: {cluster: k, user: u}}]
)");
  ASSERT_TRUE(config.ok()) << config.status();
  const ExecPlugin& plugin = *config->exec;
  EXPECT_EQ(plugin.command, "/home/me/bin/login");
  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1beta1");
  EXPECT_THAT(plugin.args, ElementsAre("--cluster", "prod"));
  EXPECT_THAT(plugin.env, ElementsAre(Pair("A", "b"), Pair("EMPTY", "")));
  EXPECT_EQ(plugin.install_hint, "get it");
  EXPECT_TRUE(plugin.provide_cluster_info);
  EXPECT_EQ(plugin.cluster_config, R"({"audience":"x","list":[true,null],"number":5,"text":"5"})");
}

struct WrongRow {
  const char* name;
  std::string from, to;  // what is changed in kConfig
  const char* error;
};
class WrongKubeconfig : public ::testing::TestWithParam<WrongRow> {};

TEST_P(WrongKubeconfig, IsNamedWithFileAndEntry) {
  std::string text = kConfig;
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  const auto config = Choose(text);
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Text(config.status()), HasSubstr("/home/me/config"));
  EXPECT_THAT(Text(config.status()), HasSubstr(GetParam().error));
  EXPECT_THAT(Text(config.status()), Not(HasSubstr("secret")));
}

const char kAs[] = "    as: admin\n";
// A plugin is run where there is nothing else.
const char kOwn[] = "    client-certificate-data: Q0VSVA==\n    client-key: /keys/jane.key\n";

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongKubeconfig,
    ::testing::Values(
        WrongRow{"NotYaml", "clusters:", "clusters: [", "not YAML"},
        WrongRow{"OtherKind", "kind: Config", "kind: Pod", "kind is 'Pod'"},
        WrongRow{"ListOfNothing", "users:", "users: 5\nothers:", "users must be a list"},
        WrongRow{"NoName", "- name: jane", "- nam: jane", "users: an entry has no name"},
        WrongRow{"SameNameTwice", "- name: robot", "- name: jane", "'jane' is listed twice"},
        WrongRow{"KeyTwice", kAs, "    as: admin\n    as: root\n", "as is given twice"},
        WrongRow{"NoCurrentContext", "current-context: main", "current-context: ''",
                 "no current-context; name one of: main, other"},
        WrongRow{"OtherVersion", "apiVersion: v1", "apiVersion: v2",
                 "apiVersion is 'v2'; a kubeconfig is of v1"},
        WrongRow{"UnknownContext", "current-context: main", "current-context: mian",
                 "no context 'mian'; there are: main, other"},
        WrongRow{"UnknownCluster", "cluster: prod, user: jane", "cluster: x, user: jane",
                 "contexts 'main': no cluster 'x'"},
        WrongRow{"UnknownUser", "cluster: prod, user: jane", "cluster: prod, user: x",
                 "contexts 'main': no user 'x'"},
        WrongRow{"NoServer", "    server: https://10.0.0.1:6443\n", "",
                 "clusters 'prod': server is missing"},
        WrongRow{"WrongServer", "https://10.0.0.1:6443", "10.0.0.1:6443", "server: no scheme"},
        WrongRow{"WrongBase64", "Q0VSVA==", "secret!", "client-certificate-data is not base64"},
        WrongRow{"WrongBool", "    tls-server-name: kubernetes",
                 "    insecure-skip-tls-verify: maybe",
                 "insecure-skip-tls-verify is 'maybe'; accepted are true and false"},
        WrongRow{"InsecureWithAuthority", "    tls-server-name: kubernetes",
                 "    insecure-skip-tls-verify: true", "exclude each other"},
        WrongRow{"BasicAuthentication", kAs, "    username: jane\n    password: secret\n",
                 "users 'jane': Kubernetes removed username and password"},
        WrongRow{"AuthProvider", kAs, "    auth-provider: {name: gcp}\n",
                 "users 'jane': Kubernetes removed auth-provider in 1.26; use exec"},
        WrongRow{"AsUid", kAs, "    as-uid: '5'\n", "as-uid and as-user-extra"},
        WrongRow{"ExecWithoutVersion", kOwn, "    exec: {command: x}\n",
                 "exec: apiVersion is ''; accepted are client.authentication.k8s.io/v1 and"},
        WrongRow{"ExecOfAlpha", kOwn,
                 "    exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}\n",
                 "apiVersion is 'client.authentication.k8s.io/v1alpha1'"},
        WrongRow{"ExecWithoutCommand", kOwn,
                 "    exec: {apiVersion: client.authentication.k8s.io/v1}\n", "command is missing"},
        WrongRow{"ExecInTerminal", kOwn,
                 "    exec: {command: x, apiVersion: client.authentication.k8s.io/v1, "
                 "interactiveMode: Always}\n",
                 "needs a terminal"},
        WrongRow{"DataLeftOut", "Q0VSVA==", "DATA+OMITTED",
                 "users 'jane': client-certificate-data is DATA+OMITTED, which `kubectl config "
                 "view` writes in place of the real one; `kubectl config view --raw` prints it"},
        WrongRow{"TokenLeftOut", kAs, "    token: REDACTED\n",
                 "users 'jane': token is REDACTED, which `kubectl config view` writes"},
        WrongRow{"AuthorityLeftOut", "certificate-authority: pki/ca.crt",
                 "certificate-authority-data: DATA+OMITTED",
                 "clusters 'prod': certificate-authority-data is DATA+OMITTED"},
        WrongRow{"PemAsData", "Q0VSVA==", "'-----BEGIN CERTIFICATE-----'",
                 "client-certificate-data needs base64 of PEM, and this is PEM itself; "
                 "client-certificate takes the path"},
        WrongRow{"TokenIsAList", kAs, "    token: [secret]\n", "token must be a single value"}),
    [](const auto& row) { return row.param.name; });

TEST(Kubeconfig, WithoutContextsSaysSo) {
  EXPECT_EQ(Text(Choose("kind: Config\n").status()), "/home/me/config: has no contexts");
}

TEST(Kubeconfig, RefusesOnlyTheUserThatIsUsed) {
  const auto config = Choose(std::string(kConfig) + R"(- name: old
  user: {username: a}
- name: alpha
  user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}}
- name: printed
  user: {client-certificate-data: DATA+OMITTED}
)");
  EXPECT_TRUE(config.ok()) << config.status();
}

TEST(Kubeconfig, IsSafeFromTextsThatGrow) {
  std::string bomb = "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 20; ++i) {
    bomb += "b" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + std::to_string(i - 1) + ",";
    bomb += "]\n";
  }
  EXPECT_TRUE(ParseKubeconfig("f", bomb).ok()) << "nobody reads those keys";
  const auto extension =
      ParseKubeconfig("f", bomb +
                               "clusters: [{name: a, cluster: {extensions: [{name: "
                               "client.authentication.k8s.io/exec, extension: *a19}]}}]\n");
  ASSERT_TRUE(extension.ok()) << extension.status();
  EXPECT_EQ(extension->clusters[0].exec_config, "");
  EXPECT_FALSE(ParseKubeconfig("f", std::string(100'000, '[')).ok());
  EXPECT_THAT(Text(ParseKubeconfig("f", std::string(kLargestKubeconfig + 1, 'a')).status()),
              HasSubstr("larger than"));
}

class KubeconfigFiles : public ::testing::Test {
 protected:
  const testing::TestFolder folder_;
};

TEST_F(KubeconfigFiles, AreMergedAndTheFirstWins) {
  const std::string first = folder_.Write("first", R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
users: [{name: u, user: {token: first}}]
)");
  const std::string second = folder_.Write("second", R"(
current-context: d
clusters: [{name: k, cluster: {server: "https://a", certificate-authority: ca.crt}}]
users: [{name: u, user: {token: second}}]
)");
  const auto config =
      LoadKubeconfig({}, {{"KUBECONFIG", folder_.path() + "/none::" + first + ":" + second}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->token, "first");
  EXPECT_EQ(config->server, "https://a");
  EXPECT_EQ(config->ca.file, folder_.path() + "/ca.crt");
}

TEST_F(KubeconfigFiles, AreLookedForInHome) {
  const auto missing = LoadKubeconfig({}, {{"HOME", folder_.path()}});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Text(missing.status()), HasSubstr(folder_.path() + "/.kube/config"));
  EXPECT_THAT(Text(LoadKubeconfig({}, {}).status()), HasSubstr("HOME is not set"));
}

TEST_F(KubeconfigFiles, MustExistWhereOneIsAskedFor) {
  const auto config = LoadKubeconfig({"/nowhere/config", ""}, {});
  EXPECT_EQ(config.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Text(config.status()), HasSubstr("/nowhere/config: No such file"));
}

TEST_F(KubeconfigFiles, OfEndlessSizeAreRefused) {
  const auto config = LoadKubeconfig({"/dev/zero", ""}, {});
  EXPECT_EQ(config.status().code(), absl::StatusCode::kResourceExhausted) << config.status();
}

}  // namespace
}  // namespace outrigger::kube
