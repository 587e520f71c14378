#include "kube/config/kubeconfig_file.h"

#include <exception>
#include <utility>

#include "absl/strings/match.h"
#include "base/files.h"
#include "fmt/format.h"
#include "kube/config/exec_credential.h"
#include "kube/config/kubeconfig_yaml.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

// clusters, users and contexts are lists of a name and a mapping of this key.
template <typename Entry>
using ReadEntry = void (*)(const std::string& file, YamlFields* fields, Entry* entry);

// kubectl keeps secrets to itself unless it is asked for them, and the words are good base64.
void RefuseOmitted(const char* key, const std::string& text, std::string* refused) {
  if (!refused->empty() || (text != "DATA+OMITTED" && text != "REDACTED")) return;
  *refused = fmt::format(
      "{} is {}, which `kubectl config view` writes in place of the real one; `kubectl config view "
      "--raw` prints it",
      key, text);
}

void ReadPem(const std::string& file, const char* key, const char* data_key, YamlFields* fields,
             Pem* pem, std::string* refused) {
  std::string path;
  std::string text;
  fields->Text(key, &path);
  pem->file = ResolveBeside(file, path);
  fields->Text(data_key, &text);
  RefuseOmitted(data_key, text, refused);
  if (absl::StartsWith(text, "-----BEGIN")) {
    fields->Fail(
        fmt::format("{} wants base64 of PEM, and this is PEM itself; {} takes the path of "
                    "a file with it",
                    data_key, key));
  }
  fields->Base64(data_key, &pem->data);
  pem->from = fmt::format("{} {}", fields->where(), pem->data.empty() ? key : data_key);
}

// What a plugin may want to know of its cluster.
void ReadExtensions(YamlFields* fields, KubeCluster* cluster) {
  fields->Each("extensions", [&](const YAML::Node& element) {
    YamlFields extension(element, fields->where() + " extensions");
    std::string name;
    extension.Text("name", &name);
    if (name == "client.authentication.k8s.io/exec" && extension.Has("extension")) {
      cluster->exec_config = JsonOfYaml(extension.Child("extension"));
    }
    return extension.status();
  });
}

void ReadCluster(const std::string& file, YamlFields* fields, KubeCluster* cluster) {
  fields->Text("server", &cluster->server);
  fields->Text("tls-server-name", &cluster->tls_server_name);
  fields->Text("proxy-url", &cluster->proxy_url);
  fields->Bool("insecure-skip-tls-verify", &cluster->insecure);
  ReadPem(file, "certificate-authority", "certificate-authority-data", fields, &cluster->ca,
          &cluster->refused);
  ReadExtensions(fields, cluster);
}

void ReadExecEnv(YamlFields* exec, ExecPlugin* plugin) {
  exec->Each("env", [&](const YAML::Node& element) {
    YamlFields variable(element, exec->where() + " env");
    std::string name;
    std::string value;
    variable.Text("name", &name);
    variable.Text("value", &value);
    if (name.empty() || name.find('=') != std::string::npos) variable.Fail("wants a name");
    if ((name + value).find('\0') != std::string::npos) variable.Fail("has a zero byte");
    plugin->env[name] = value;
    return variable.status();
  });
}

// Why `plugin` cannot be run, or empty.
std::string WhyNotRun(const ExecPlugin& plugin, const std::string& mode) {
  if (plugin.command.empty()) return "exec: command is missing";
  if (!IsExecVersion(plugin.api_version)) {
    return fmt::format(
        "exec: apiVersion is '{}'; accepted are client.authentication.k8s.io/v1 and "
        "client.authentication.k8s.io/v1beta1",
        plugin.api_version);
  }
  if (mode == "Always") {
    return "exec: interactiveMode Always wants a terminal, which is never given";
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return fmt::format("exec: interactiveMode is '{}'; accepted are Never and IfAvailable", mode);
  }
  return {};
}

void ReadExec(const std::string& file, YamlFields* user, KubeUser* to) {
  if (!user->Has("exec")) return;
  YamlFields exec(user->Child("exec"), user->where() + " exec");
  ExecPlugin plugin;
  std::string mode;
  exec.Text("apiVersion", &plugin.api_version);
  exec.Text("command", &plugin.command);
  exec.Texts("args", &plugin.args);
  ReadExecEnv(&exec, &plugin);
  exec.Text("installHint", &plugin.install_hint);
  exec.Bool("provideClusterInfo", &plugin.provide_cluster_info);
  exec.Text("interactiveMode", &mode);
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = ResolveBeside(file, plugin.command);
  }
  user->Take(exec.status());
  if (to->exec_refused.empty()) to->exec_refused = WhyNotRun(plugin, mode);
  to->exec = std::move(plugin);
}

// Only the user that is used is refused: a file may hold others for other programs.
void ReadRefused(const YamlFields& user, KubeUser* to) {
  if (!to->refused.empty()) return;
  if (user.Has("auth-provider")) {
    to->refused = "auth-provider is gone from Kubernetes since 1.26; use exec";
  } else if (user.Has("username") || user.Has("password")) {
    to->refused =
        "username and password are gone from Kubernetes since 1.19; use a token, a "
        "client certificate or exec";
  } else if (user.Has("as-uid") || user.Has("as-user-extra")) {
    to->refused = "as-uid and as-user-extra are not supported; as and as-groups are";
  }
}

void ReadUser(const std::string& file, YamlFields* fields, KubeUser* user) {
  std::string token_file;
  fields->Text("token", &user->token);
  fields->Text("tokenFile", &token_file);
  user->token_file = ResolveBeside(file, token_file);
  RefuseOmitted("token", user->token, &user->refused);
  ReadPem(file, "client-certificate", "client-certificate-data", fields, &user->cert,
          &user->refused);
  ReadPem(file, "client-key", "client-key-data", fields, &user->key, &user->refused);
  fields->Text("as", &user->as_user);
  fields->Texts("as-groups", &user->as_groups);
  ReadExec(file, fields, user);
  ReadRefused(*fields, user);
}

void ReadContext(const std::string& /*file*/, YamlFields* fields, KubeContext* context) {
  fields->Text("cluster", &context->cluster);
  fields->Text("user", &context->user);
  fields->Text("namespace", &context->namespace_);
}

// The list `list` of {name: ..., `key`: {...}}.
template <typename Entry>
void ReadList(const std::string& file, const char* list, const char* key, ReadEntry<Entry> read,
              YamlFields* root, std::vector<Entry>* to) {
  root->Each(list, [&](const YAML::Node& element) {
    YamlFields outer(element, fmt::format("{}: {}", file, list));
    Entry entry;
    outer.Text("name", &entry.name);
    if (entry.name.empty()) outer.Fail("an entry has no name");
    for (const Entry& other : *to) {
      if (other.name == entry.name) outer.Fail(fmt::format("'{}' is there twice", entry.name));
    }
    entry.where = Printable(fmt::format("{}: {} '{}'", file, list, entry.name));
    YamlFields inner(outer.Child(key), entry.where);
    if (outer.status().ok()) read(file, &inner, &entry);
    outer.Take(inner.status());
    to->push_back(std::move(entry));
    return outer.status();
  });
}

absl::StatusOr<KubeconfigFile> ReadDocument(const std::string& name, const YAML::Node& document) {
  KubeconfigFile file;
  file.name = name;
  YamlFields root(document, name);
  std::string kind = "Config";
  root.Text("kind", &kind);
  if (kind != "Config" && !kind.empty()) {
    root.Fail(fmt::format("kind is '{}'; a kubeconfig is of kind Config", kind));
  }
  std::string version = "v1";
  root.Text("apiVersion", &version);
  if (version != "v1" && !version.empty()) {
    root.Fail(fmt::format("apiVersion is '{}'; a kubeconfig is of v1", version));
  }
  root.Text("current-context", &file.current_context);
  ReadList<KubeCluster>(name, "clusters", "cluster", ReadCluster, &root, &file.clusters);
  ReadList<KubeUser>(name, "users", "user", ReadUser, &root, &file.users);
  ReadList<KubeContext>(name, "contexts", "context", ReadContext, &root, &file.contexts);
  if (!root.status().ok()) return root.status();
  return file;
}

}  // namespace

absl::StatusOr<KubeconfigFile> ParseKubeconfig(const std::string& name, const std::string& text) {
  if (text.size() > kLargestKubeconfig) {
    return absl::InvalidArgumentError(Printable(
        fmt::format("{}: larger than {} bytes, which no kubeconfig is", name, kLargestKubeconfig)));
  }
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    return ReadDocument(name, YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "{}:{}:{}: not YAML: {}", name, error.mark.line + 1, error.mark.column + 1, error.msg)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", name, error.what())));
  }
}

}  // namespace outrigger::kube
