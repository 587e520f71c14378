// A kubeconfig: its entries, the configuration of each of its contexts, and the same written anew.
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "check.h"
#include "kube/config/kubeconfig.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"

namespace outrigger::fuzz {
namespace {

using kube::ClientConfig;
using kube::KubeconfigFile;
using nlohmann::json;

constexpr char kName[] = "/dir/config";

// An error is printed on a terminal: no control byte of the file comes through.
void CheckError(const absl::Status& status) {
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  const std::string_view message = kube::MessageOf(status);
  OUTRIGGER_REQUIRE(message.find(kName) != std::string_view::npos);
  for (const char c : message) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

// Paths are relative to the file's folder.
void CheckPath(const std::string& path) {
  OUTRIGGER_REQUIRE(path.empty() || path.front() == '/');
}

void CheckExec(const kube::ExecPlugin& plugin) {
  OUTRIGGER_REQUIRE(!plugin.command.empty());
  if (plugin.command.find('/') != std::string::npos) CheckPath(plugin.command);
  for (const auto& [name, value] : plugin.env) {
    OUTRIGGER_REQUIRE(!name.empty() && (name + value).find('\0') == std::string::npos);
  }
  OUTRIGGER_REQUIRE(plugin.cluster_config.empty() || json::accept(plugin.cluster_config));
}

void CheckConfigOf(const ClientConfig& config) {
  OUTRIGGER_REQUIRE(kube::CheckConfig(config).ok());
  for (const std::string* path :
       {&config.ca.file, &config.client_cert.file, &config.client_key.file, &config.token_file}) {
    CheckPath(*path);
  }
  OUTRIGGER_REQUIRE(!config.namespace_.empty());
  if (config.exec) CheckExec(*config.exec);
}

template <typename Entry>
void CheckNames(const std::vector<Entry>& entries) {
  std::set<std::string> names;
  for (const Entry& entry : entries) {
    OUTRIGGER_REQUIRE(!entry.name.empty() && names.insert(entry.name).second);
  }
}

json PemFields(const char* key, const kube::Pem& pem, json fields) {
  if (!pem.file.empty()) fields[key] = pem.file;
  if (!pem.data.empty()) fields[std::string(key) + "-data"] = absl::Base64Escape(pem.data);
  return fields;
}

// JSON is YAML: a file of the one context that `config` is.
json WriteAnew(const ClientConfig& config) {
  json cluster = {{"server", config.server},
                  {"tls-server-name", config.tls_server_name},
                  {"proxy-url", config.proxy_url},
                  {"insecure-skip-tls-verify", config.insecure}};
  json user = {{"token", config.token},
               {"tokenFile", config.token_file},
               {"as", config.as_user},
               {"as-groups", config.as_groups}};
  user = PemFields("client-certificate", config.client_cert, user);
  user = PemFields("client-key", config.client_key, user);
  if (config.exec) {
    user["exec"] = {{"apiVersion", config.exec->api_version},
                    {"command", config.exec->command},
                    {"args", config.exec->args}};
  }
  cluster = PemFields("certificate-authority", config.ca, cluster);
  return {{"current-context", "c"},
          {"clusters", {{{"name", "k"}, {"cluster", cluster}}}},
          {"users", {{{"name", "u"}, {"user", user}}}},
          {"contexts",
           {{{"name", "c"},
             {"context", {{"cluster", "k"}, {"user", "u"}, {"namespace", config.namespace_}}}}}}};
}

void CheckSame(const ClientConfig& a, const ClientConfig& b) {
  const auto all = [](const ClientConfig& c) {
    return std::tie(c.server, c.tls_server_name, c.proxy_url, c.insecure, c.ca.data, c.ca.file,
                    c.client_cert.data, c.client_cert.file, c.client_key.data, c.client_key.file,
                    c.token, c.token_file, c.as_user, c.as_groups, c.namespace_);
  };
  OUTRIGGER_REQUIRE(all(a) == all(b));
  OUTRIGGER_REQUIRE(a.exec.has_value() == b.exec.has_value());
  if (!a.exec) return;
  OUTRIGGER_REQUIRE(a.exec->command == b.exec->command && a.exec->args == b.exec->args &&
                    a.exec->api_version == b.exec->api_version);
}

void CheckWrittenAnew(const ClientConfig& config) {
  const json written = WriteAnew(config);
  const std::string text = written.dump(-1, ' ', true, json::error_handler_t::replace);
  // A text that is not UTF-8, such as a path, has no form in JSON.
  if (json::parse(text) != written) return;
  const auto again = kube::ParseKubeconfig(kName, text);
  OUTRIGGER_REQUIRE(again.ok());
  const auto chosen = kube::ChooseContext({*again}, "");
  OUTRIGGER_REQUIRE(chosen.ok());
  CheckSame(config, *chosen);
}

void CheckContext(const KubeconfigFile& file, const std::string& context) {
  const auto config = kube::ChooseContext({file}, context);
  // What a second file says of the same entries changes nothing.
  const auto merged = kube::ChooseContext({KubeconfigFile{}, file, file}, context);
  OUTRIGGER_REQUIRE(config.ok() == merged.ok());
  if (!config.ok()) {
    CheckError(config.status());
    return;
  }
  CheckConfigOf(*config);
  CheckSame(*config, *merged);
  CheckWrittenAnew(*config);
}

void Run(const std::string& text) {
  const auto file = kube::ParseKubeconfig(kName, text);
  if (!file.ok()) {
    CheckError(file.status());
    return;
  }
  CheckNames(file->clusters);
  CheckNames(file->users);
  CheckNames(file->contexts);
  CheckContext(*file, "");
  for (const kube::KubeContext& context : file->contexts) CheckContext(*file, context.name);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
