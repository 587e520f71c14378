// A kubeconfig means here what it means to client-go: rows of tests/support/cmd/kubeconfigs.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "certificates.h"
#include "golden.h"
#include "kube/config/kubeconfig.h"
#include "kube/kube_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using nlohmann::json;

constexpr char kServer[] = "https://127.0.0.1:6443";

// The configuration that the files of `row` give.
absl::StatusOr<ClientConfig> Load(const testing::TestFolder& folder, const json& row) {
  std::string list;
  int index = 0;
  for (const std::string text : row["files"]) {
    // Base64 of "$CERT" and "$KEY", which the table has in their place.
    const std::string filled = absl::StrReplaceAll(
        text, {{"$SERVER", kServer}, {"$CERT64", "JENFUlQ="}, {"$KEY64", "JEtFWQ=="}});
    list += (list.empty() ? "" : ":") + folder.Write(std::to_string(index++), filled);
  }
  return LoadKubeconfig({"", row["context"]}, {{"KUBECONFIG", list}});
}

// As the table writes it. What is read of files is compared by their paths.
json Written(const ClientConfig& config, const std::string& folder) {
  const auto text = [&](std::string value) {
    return absl::StrReplaceAll(value, {{folder, "$DIR"}, {kServer, "$SERVER"}});
  };
  const auto pem = [&](const Pem& from) { return text(from.data.empty() ? from.file : from.data); };
  json groups;
  for (const std::string& group : config.as_groups) groups.push_back(group);
  return {{"server", text(config.server)},
          {"tlsServerName", config.tls_server_name},
          {"insecure", config.insecure},
          {"proxyURL", config.proxy_url},
          {"ca", pem(config.ca)},
          {"cert", pem(config.client_cert)},
          {"key", pem(config.client_key)},
          {"token", config.token},
          {"tokenFile", text(config.token_file)},
          {"as", config.as_user},
          {"asGroups", groups},
          {"namespace", config.namespace_},
          {"pluginRan", config.exec.has_value()}};
}

void ExpectAsClientGo(const json& row, const absl::StatusOr<ClientConfig>& config,
                      const std::string& folder) {
  const std::string here = row["here"];
  const bool accepted = here.empty() ? !row["refused"] : here == "accepted";
  ASSERT_EQ(config.ok(), accepted) << config.status();
  if (!accepted || row["refused"]) return;
  json expected = row["config"];
  // client-go has read the file of a token by then; here that happens with the first call.
  if (expected["tokenFile"] != "" && expected["token"] == "of-file\n") expected["token"] = "";
  EXPECT_EQ(Written(*config, folder), expected);
}

TEST(KubeconfigOracle, ReadsWhatClientGoReads) {
  const json table = testing::LoadGolden("kubeconfigs.json");
  ASSERT_GE(table.size(), 60U);
  for (const json& row : table) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const testing::TestFolder folder;
    ExpectAsClientGo(row, Load(folder, row), folder.path());
  }
}

}  // namespace
}  // namespace outrigger::kube
