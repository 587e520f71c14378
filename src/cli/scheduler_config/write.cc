#include <algorithm>
#include <set>

#include "cli/scheduler_config/extenders.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/scheduler_config/scheduler_wishes.h"
#include "cli/scheduler_config/unchecked.h"
#include "cli/scheduler_config/unknown_filters.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_error.h"
#include "fmt/format.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// Above what one scheduler binds per second, so that the API server is the limit and not this.
constexpr int kQps = 500;
constexpr int kBurst = 1000;

class Writer {
 public:
  Writer(const SchedulerConfigPlan& plan, std::string name)
      : plan_(plan), name_(std::move(name)), notes_(plan.notes) {}

  absl::StatusOr<SchedulerConfigText> Write(YAML::Node root, bool given) {
    absl::Status status = given ? CheckHeader(root) : absl::OkStatus();
    if (!given) {
      root["apiVersion"] = kConfigApiVersion;
      root["kind"] = kConfigKind;
    }
    if (status.ok()) status = WriteProfile(root, given);
    if (status.ok()) status = WriteConnection(root);
    if (status.ok()) WriteWishes(plan_.wishes, root, &notes_);
    if (status.ok()) status = WriteExtenders(plan_, name_, root, &notes_);
    if (!status.ok()) return status;
    const auto yaml = YamlFromNode(root);
    if (!yaml.ok()) return Error(root, std::string(yaml.status().message()));
    // As it is read: nodes that were made here have no types.
    const YAML::Node written = YAML::Load(*yaml);
    for (const UncheckedProfile& profile : ReadUnchecked(MapReader(written, Place()))) {
      NoteWithoutEffect(profile);
      for (const Field<std::string>& filter : profile.unknown) {
        if (plan_.wishes.last) notes_.push_back(NoteOfUnknownFilter(filter.value));
      }
    }
    return SchedulerConfigText{*yaml, std::move(notes_)};
  }

 private:
  absl::Status Error(const YAML::Node& node, const std::string& what) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}:{}: {}", name_, node.Mark().line + 1, node.Mark().column + 1, what));
  }

  absl::Status CheckWord(const YAML::Node& root, const char* field, const char* accepted) const {
    const YAML::Node value = root[field];
    if (IsAbsent(value))
      return Error(root, fmt::format("{} is missing; expected {}", field, accepted));
    if (value.IsScalar() && value.Scalar() == accepted) return absl::OkStatus();
    return Error(value, fmt::format("{}: \"{}\" is not accepted; expected {}", field,
                                    value.IsScalar() ? value.Scalar() : "", accepted));
  }

  absl::Status CheckHeader(const YAML::Node& root) const {
    if (!root.IsMap()) return Error(root, fmt::format("a {} is a mapping", kConfigKind));
    std::set<std::string> keys;
    for (const auto& entry : root) {
      if (entry.first.IsScalar() && !keys.insert(entry.first.Scalar()).second) {
        return Error(entry.first, entry.first.Scalar() + " is given twice");
      }
    }
    absl::Status status = CheckWord(root, "kind", kConfigKind);
    if (status.ok()) status = CheckWord(root, "apiVersion", kConfigApiVersion);
    return status;
  }

  absl::Status WriteProfile(YAML::Node& root, bool given) {
    if (plan_.scheduler_name.empty()) return absl::OkStatus();
    if (!given) root["profiles"][0]["schedulerName"] = TextNode(plan_.scheduler_name);
    const auto names = ProfileNames(root["profiles"]);
    if (!names.ok()) return names.status();
    if (std::find(names->begin(), names->end(), plan_.scheduler_name) == names->end()) {
      return Error(IsAbsent(root["profiles"]) ? root : root["profiles"], NoSuchProfile(*names));
    }
    WriteLeaderElection(root, *names);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ProfileNames(const YAML::Node& profiles) const {
    std::vector<std::string> names;
    if (IsAbsent(profiles)) return names = {kDefaultScheduler};
    if (!profiles.IsSequence()) return Error(profiles, "profiles: expected a list");
    for (const auto& profile : profiles) {
      if (!profile.IsMap()) return Error(profile, "profiles: an element must be a mapping");
      const YAML::Node name = profile["schedulerName"];
      names.push_back(IsAbsent(name) ? kDefaultScheduler : name.Scalar());
    }
    if (names.empty()) names = {kDefaultScheduler};
    return names;
  }

  // To rename the one that is there would leave its pods without a scheduler.
  std::string NoSuchProfile(const std::vector<std::string>& names) const {
    return fmt::format(
        "profiles: none is named {0} (found: {1}); add `- schedulerName: {0}` to the file's "
        "profiles, or omit --scheduler-name",
        plan_.scheduler_name, Listed(names));
  }

  // A second scheduler that waits for the first one's Lease would never start.
  void WriteLeaderElection(YAML::Node& root, const std::vector<std::string>& names) {
    const bool second = std::find(names.begin(), names.end(), kDefaultScheduler) == names.end();
    if (!second || !IsAbsent(root["leaderElection"])) return;
    YAML::Node election = root["leaderElection"];
    election["leaderElect"] = true;
    election["resourceName"] = TextNode(plan_.scheduler_name);
    election["resourceNamespace"] = TextNode(plan_.lease_namespace);
    notes_.push_back(
        fmt::format("leaderElection: the Lease is {}/{}, and the scheduler's account needs create, "
                    "get and update of it; ClusterRole system:kube-scheduler allows only "
                    "kube-system/kube-scheduler",
                    plan_.lease_namespace, plan_.scheduler_name));
  }

  absl::Status WriteConnection(YAML::Node& root) {
    YAML::Node connection = root["clientConnection"];
    if (IsAbsent(connection)) {
      root["clientConnection"] = connection = YAML::Node(YAML::NodeType::Map);
    }
    if (!connection.IsMap()) return Error(connection, "clientConnection: expected a mapping");
    if (!plan_.kubeconfig.empty()) connection["kubeconfig"] = TextNode(plan_.kubeconfig);
    const YAML::Node kubeconfig = connection["kubeconfig"];
    if (IsAbsent(kubeconfig) || kubeconfig.Scalar().empty()) {
      notes_.emplace_back(
          "clientConnection.kubeconfig is not set: the scheduler uses its in-cluster account; a "
          "static pod needs --kubeconfig /etc/kubernetes/scheduler.conf");
    }
    WriteLimit(connection, "qps", kQps, 50);
    WriteLimit(connection, "burst", kBurst, 100);
    return absl::OkStatus();
  }

  void NoteWithoutEffect(const UncheckedProfile& profile) {
    if (profile.without_effect.empty()) return;
    std::vector<std::string> names;
    for (const Field<std::string>& name : profile.without_effect) names.push_back(name.value);
    notes_.push_back(
        fmt::format("ignoredResources of profile {}: {}: no effect next to managedResources with "
                    "ignoredByScheduler: add the name there, too",
                    profile.name, Listed(names)));
  }

  void WriteLimit(YAML::Node& connection, const char* field, int generous, int usual) {
    const YAML::Node limit = connection[field];
    if (IsAbsent(limit) || limit.Scalar() == "0") {
      connection[field] = generous;
      notes_.push_back(
          fmt::format("clientConnection.{} is {}: the scheduler's default of {} limits "
                      "binds per second",
                      field, generous, usual));
    } else {
      notes_.push_back(fmt::format("clientConnection.{} is still {}; it limits binds per second",
                                   field, limit.Scalar()));
    }
  }

  const SchedulerConfigPlan& plan_;
  const std::string name_;
  std::vector<std::string> notes_;
};

constexpr const char* kHeader =
    "# Written by `outrigger scheduler-config`.\n"
    "# httpTimeout of a filter is short: the call runs on the scheduler's only loop, and while it\n"
    "# waits no pod of the cluster is scheduled.\n"
    "# clientConnection.qps and burst (defaults 50 and 100) limit binds per second.\n";

}  // namespace

absl::StatusOr<SchedulerConfigText> WriteSchedulerConfig(
    const SchedulerConfigPlan& plan, const std::optional<SchedulerConfigInput>& input) {
  Writer writer(plan, input ? input->name : "scheduler-config");
  // yaml-cpp reports by exceptions.
  try {
    YAML::Node root(YAML::NodeType::Map);
    if (input) {
      const std::vector<YAML::Node> documents = LoadDocuments(input->yaml);
      if (documents.size() != 1) {
        return absl::InvalidArgumentError(fmt::format("{}: has {} documents; expected one {}",
                                                      input->name, documents.size(), kConfigKind));
      }
      root = documents[0];
    }
    auto text = writer.Write(root, input.has_value());
    if (text.ok()) text->yaml = kHeader + text->yaml;
    return text;
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        YamlErrorText(input ? input->name : "", input ? input->yaml : "", error));
  }
}

}  // namespace outrigger::cli
