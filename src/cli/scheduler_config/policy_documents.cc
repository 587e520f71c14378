#include "cli/scheduler_config/policy_documents.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "console/format/text.h"
#include "console/format/yaml.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_error.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli::policy {
namespace {

// Where kube-scheduler looked for it.
constexpr const char* kPolicyKey = "policy.cfg";
constexpr const char* kPolicyKind = "Policy";

std::string TextAt(const YAML::Node& node, const char* key) {
  return MapReader(node, Place()).Text(key).value;
}

class PolicyFinder {
 public:
  explicit PolicyFinder(const SchedulerConfigInput& input) : input_(input) {}

  absl::StatusOr<PolicyDocuments> Find() {
    for (const YAML::Node& document : LoadDocuments(input_.yaml)) {
      absl::Status status = Take({Source(input_.name), document});
      if (!status.ok()) return status;
    }
    if (policies_.empty()) return NoPolicy();
    if (policies_.size() > 1) {
      return Refuse(fmt::format("{} and {} have a Policy each; give one",
                                policies_[0].first.source.name(),
                                policies_[1].first.source.name()));
    }
    return Choose(policies_[0].first, policies_[0].second);
  }

 private:
  absl::Status Refuse(const std::string& what) const {
    return absl::InvalidArgumentError(Printable(fmt::format("{}: {}", input_.name, what)));
  }

  absl::Status NoPolicy() const {
    return Refuse(fmt::format("has no Policy, and no ConfigMap with one under {} (kinds found: {})",
                              kPolicyKey, Listed({kinds_.begin(), kinds_.end()})));
  }

  absl::Status Take(const SourceDocument& document) {
    const YAML::Node& node = document.node;
    if (IsAbsent(node)) return absl::OkStatus();
    if (!node.IsMap())
      return document.source.Error({"", node.Mark().line + 1}, "expected a mapping");
    const std::string kind = TextAt(node, "kind");
    if (!kind.empty()) kinds_.insert(kind);
    if (kind == kPolicyKind) policies_.emplace_back(document, "");
    if (kind == kConfigKind) configurations_.push_back(document);
    if (kind == "ConfigMap") return TakeMap(node);
    if (kind == "List") return TakeItems(document);
    const MapReader fields(node, Place());
    const bool headless = kind.empty() && (fields.Has("extenders") || fields.Has("predicates") ||
                                           fields.Has("priorities"));
    if (!headless) return absl::OkStatus();
    return document.source.Error({"kind", node.Mark().line + 1}, "is missing; expected Policy");
  }

  absl::Status TakeItems(const SourceDocument& document) {
    const YAML::Node items = document.node["items"];
    if (IsAbsent(items) || !items.IsSequence()) return absl::OkStatus();
    for (const YAML::Node& item : items) {
      // Lists hold no lists; an alias could make one endless.
      if (item.IsMap() && TextAt(item, "kind") == "List") continue;
      absl::Status status = Take({document.source, item});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status TakeMap(const YAML::Node& map) {
    const std::string name = MapReader(map, Place()).Map("metadata").Text("name").value;
    const YAML::Node data = map["data"];
    if (IsAbsent(data) || !data.IsMap()) return absl::OkStatus();
    for (const auto& entry : data) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) continue;
      const std::string key = entry.first.Scalar();
      const Source source(fmt::format("{}: ConfigMap {}: {}", input_.name, name, key));
      if (key == kPolicyKey) {
        absl::Status status = TakePolicy(source, entry.second.Scalar(), name);
        if (!status.ok()) return status;
      } else {
        TakeConfiguration(source, entry.second.Scalar());
      }
    }
    return absl::OkStatus();
  }

  absl::Status TakePolicy(const Source& source, const std::string& text, const std::string& map) {
    try {
      const std::vector<YAML::Node> documents = LoadDocuments(text);
      if (documents.size() != 1 || TextAt(documents[0], "kind") != kPolicyKind) {
        return source.Error(Place(), "expected one document of kind Policy");
      }
      policies_.emplace_back(SourceDocument{source, documents[0]}, map);
      return absl::OkStatus();
    } catch (const YAML::Exception& error) {
      return absl::InvalidArgumentError(YamlErrorText(source.name(), text, error));
    }
  }

  // Any key may hold one: its name is that of a file.
  void TakeConfiguration(const Source& source, const std::string& text) {
    try {
      for (const YAML::Node& document : LoadDocuments(text)) {
        if (TextAt(document, "kind") == kConfigKind) configurations_.push_back({source, document});
      }
    } catch (const YAML::Exception&) {
      // Not YAML, so not the scheduler's.
    }
  }

  absl::StatusOr<PolicyDocuments> Choose(const SourceDocument& policy,
                                         const std::string& map) const {
    std::vector<SourceDocument> fitting = configurations_;
    if (fitting.size() > 1) {
      std::erase_if(fitting, [&](const SourceDocument& document) {
        const MapReader algorithm = MapReader(document.node, Place()).Map("algorithmSource");
        return map.empty() || algorithm.Map("policy").Map("configMap").Text("name").value != map;
      });
      if (fitting.size() != 1) {
        return Refuse(
            fmt::format("has {} {}s, of which {} name the Policy's ConfigMap; give the one "
                        "that goes with it",
                        configurations_.size(), kConfigKind, fitting.size()));
      }
    }
    PolicyDocuments found{policy, std::nullopt};
    if (!fitting.empty()) found.configuration = fitting[0];
    return found;
  }

  const SchedulerConfigInput& input_;
  std::vector<std::pair<SourceDocument, std::string>> policies_;  // with the name of their map
  std::vector<SourceDocument> configurations_;
  std::set<std::string> kinds_;
};

}  // namespace

absl::StatusOr<PolicyDocuments> FindPolicy(const SchedulerConfigInput& input) {
  return PolicyFinder(input).Find();
}

}  // namespace outrigger::cli::policy
