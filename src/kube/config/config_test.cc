#include "kube/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "certificates.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::HasSubstr;

constexpr char kAccount[] = "var/run/secrets/kubernetes.io/serviceaccount/";

class InCluster : public ::testing::Test {
 protected:
  InCluster() {
    std::filesystem::create_directories(folder_.path() + "/" + kAccount);
    WriteFile("token", "abc\n");
    WriteFile("ca.crt", "PEM");
    WriteFile("namespace", "shop\n");
  }
  void WriteFile(const std::string& name, const std::string& text) const {
    folder_.Write(kAccount + name, text);
  }

  const testing::TestFolder folder_;
  Environment environment_ = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                              {"KUBERNETES_SERVICE_PORT", "443"}};
};

TEST_F(InCluster, IsTheServiceAccountOfThePod) {
  const auto config = InClusterConfig(environment_, folder_.path() + "/");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_TRUE(config->token_file.ends_with("/serviceaccount/token"));
  EXPECT_TRUE(config->ca.file.ends_with("/serviceaccount/ca.crt"));
  EXPECT_EQ(config->namespace_, "shop");
  EXPECT_FALSE(config->insecure);
}

TEST_F(InCluster, PutsIPv6InBrackets) {
  environment_["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(InClusterConfig(environment_, folder_.path() + "/")->server, "https://[fd00::1]:443");
}

TEST_F(InCluster, NamesWhatIsMissing) {
  EXPECT_EQ(InClusterConfig({}, "").status().code(), absl::StatusCode::kFailedPrecondition);
  WriteFile("token", " \n");
  EXPECT_THAT(Text(InClusterConfig(environment_, folder_.path() + "/").status()),
              HasSubstr("serviceaccount/token: is empty"));
  std::filesystem::remove(folder_.path() + "/" + kAccount + "token");
  EXPECT_EQ(InClusterConfig(environment_, folder_.path() + "/").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(InCluster, DoesWithoutANamespace) {
  std::filesystem::remove(folder_.path() + "/" + kAccount + "namespace");
  EXPECT_EQ(InClusterConfig(environment_, folder_.path() + "/")->namespace_, "default");
}

TEST_F(InCluster, IsUsedWhereThereIsNoKubeconfig) {
  ConfigOptions options;
  options.root = folder_.path() + "/";
  const auto config = LoadConfig(options, environment_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  options.kubeconfig = "/nowhere/config";
  EXPECT_EQ(LoadConfig(options, environment_).status().code(), absl::StatusCode::kNotFound)
      << "one that was asked for is not replaced";
}

TEST(LoadConfig, SaysWhatItTried) {
  EXPECT_THAT(Text(LoadConfig({}, {{"HOME", "/nowhere"}}).status()),
              HasSubstr("tried /nowhere/.kube/config"));
}

struct ProxyRow {
  const char* name;
  const char* server;
  Environment environment;
  const char* proxy;
  const char* no_proxy;
};
class ProxyEnvironment : public ::testing::TestWithParam<ProxyRow> {};

TEST_P(ProxyEnvironment, MeansAProxy) {
  ClientConfig config;
  config.server = GetParam().server;
  ApplyProxyEnvironment(GetParam().environment, &config);
  EXPECT_EQ(config.proxy_url, GetParam().proxy);
  EXPECT_EQ(config.no_proxy, GetParam().no_proxy);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ProxyEnvironment,
    ::testing::Values(
        ProxyRow{"None", "https://a", {}, "", ""},
        ProxyRow{
            "Https",
            "https://a",
            {{"HTTPS_PROXY", "http://p:1"}, {"HTTP_PROXY", "http://q:1"}, {"NO_PROXY", "b,.c"}},
            "http://p:1",
            "b,.c"},
        ProxyRow{"Http",
                 "http://a",
                 {{"HTTPS_PROXY", "http://p:1"}, {"http_proxy", "q:1"}},
                 "http://q:1",
                 ""},
        ProxyRow{"All", "https://a", {{"ALL_PROXY", "socks5://p:1"}}, "socks5://p:1", ""},
        ProxyRow{"Loopback", "https://127.0.0.1:6443", {{"HTTPS_PROXY", "http://p:1"}}, "", ""},
        ProxyRow{"Localhost", "https://localhost", {{"HTTPS_PROXY", "http://p:1"}}, "", ""}),
    [](const auto& row) { return row.param.name; });

TEST(ProxyEnvironment, DoesNotReplaceThatOfTheKubeconfig) {
  ClientConfig config;
  config.server = "https://a";
  config.proxy_url = "http://own:1";
  ApplyProxyEnvironment({{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", "a"}}, &config);
  EXPECT_EQ(config.proxy_url, "http://own:1");
  EXPECT_EQ(config.no_proxy, "");
}

struct WrongRow {
  const char* name;
  void (*spoil)(ClientConfig* config);
  const char* error;
};
class WrongConfig : public ::testing::TestWithParam<WrongRow> {};

TEST_P(WrongConfig, IsNamed) {
  ClientConfig config;
  config.server = "https://a";
  EXPECT_TRUE(CheckConfig(config).ok());
  GetParam().spoil(&config);
  const absl::Status status = CheckConfig(config);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Text(status), HasSubstr(GetParam().error));
  EXPECT_THAT(Text(status), ::testing::Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongConfig,
    ::testing::Values(
        WrongRow{"NoScheme", [](ClientConfig* c) { c->server = "a:6443"; }, "server: no scheme"},
        WrongRow{"OtherScheme", [](ClientConfig* c) { c->server = "ftp://a"; },
                 "only https:// and http:// are accepted"},
        WrongRow{"UserInServer", [](ClientConfig* c) { c->server = "https://u:secret@a"; },
                 "server: a URL with a user name"},
        WrongRow{"ServerName", [](ClientConfig* c) { c->tls_server_name = "a b"; },
                 "tls-server-name 'a b'"},
        WrongRow{"ProxyScheme", [](ClientConfig* c) { c->proxy_url = "ftp://u:secret@p"; },
                 "proxy-url 'ftp://...'"},
        WrongRow{"ProxyHost", [](ClientConfig* c) { c->proxy_url = "http://u:secret@"; },
                 "proxy-url: no host"},
        WrongRow{"TokenWithLineEnd", [](ClientConfig* c) { c->token = "secret\r\nX: y"; },
                 "token: has control bytes"},
        WrongRow{"UserWithLineEnd", [](ClientConfig* c) { c->as_user = "secret\nX: y"; },
                 "as: has"},
        WrongRow{"GroupsAlone", [](ClientConfig* c) { c->as_groups = {"g"}; }, "as-groups: needs"}),
    [](const auto& row) { return row.param.name; });

TEST(UserAgent, NamesProgramVersionAndMachine) {
  EXPECT_THAT(UserAgent("0.1.0"), ::testing::StartsWith("outrigger/0.1.0 (linux/"));
}

}  // namespace
}  // namespace outrigger::kube
