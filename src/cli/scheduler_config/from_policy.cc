#include "cli/scheduler_config/from_policy.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "cli/scheduler_config/policy_documents.h"
#include "cli/scheduler_config/policy_plugins.h"
#include "console/format/yaml.h"
#include "console/format/yaml_error.h"
#include "fmt/format.h"

namespace outrigger::cli::policy {
namespace {

// In nanoseconds, as a Policy has it.
constexpr int64_t kLongestTimeout = int64_t{3600} * 1'000'000'000;

class PolicyConverter {
 public:
  PolicyConverter(const PolicyDocuments& documents, std::string scheduler_name)
      : source_(documents.policy.source),
        policy_(documents.policy.node),
        documents_(documents),
        scheduler_name_(std::move(scheduler_name)) {
    root_["apiVersion"] = kConfigApiVersion;
    root_["kind"] = kConfigKind;
  }

  absl::StatusOr<ConvertedPolicy> Convert() {
    absl::Status status = CheckHead();
    if (status.ok() && documents_.configuration) {
      status = ReadConfiguration(*documents_.configuration);
    }
    if (status.ok()) status = WriteProfile();
    if (status.ok()) status = WriteExtenders();
    if (!status.ok()) return status;
    const auto yaml = YamlFromNode(root_);
    if (!yaml.ok()) return yaml.status();
    return ConvertedPolicy{{source_.name(), *yaml}, scheduler_name_, std::move(notes_)};
  }

 private:
  absl::Status CheckHead() {
    static constexpr std::string_view kKnown[] = {"kind",
                                                  "apiVersion",
                                                  "predicates",
                                                  "priorities",
                                                  "extenders",
                                                  "hardPodAffinitySymmetricWeight",
                                                  "alwaysCheckAllPredicates"};
    absl::Status status = source_.CheckKeys(policy_, {"", policy_.Mark().line + 1}, kKnown);
    if (!status.ok()) return status;
    const MapReader fields(policy_, Place());
    const Field<std::string> version = fields.Text("apiVersion");
    if (version.value != "v1") return source_.Error(version.place, "expected v1");
    const Field<bool> all = fields.Truth("alwaysCheckAllPredicates");
    if (all.Or(false)) {
      notes_.emplace_back(
          "alwaysCheckAllPredicates: kube-scheduler has no such setting any more: of each node it "
          "reports the first check that fails");
    }
    return source_.CheckType(all, "true or false");
  }

  absl::Status WriteProfile() {
    auto plugins = PluginsOfPolicy(source_, policy_);
    if (!plugins.ok()) return plugins.status();
    notes_.insert(notes_.end(), plugins->notes.begin(), plugins->notes.end());
    YAML::Node profile(YAML::NodeType::Map);
    if (!scheduler_name_.empty()) profile["schedulerName"] = TextNode(scheduler_name_);
    if (!IsAbsent(plugins->plugins)) profile["plugins"] = plugins->plugins;
    if (!IsAbsent(plugins->config)) profile["pluginConfig"] = plugins->config;
    if (profile.size() > 0) root_["profiles"].push_back(profile);
    if (scheduler_name_.empty()) {
      notes_.emplace_back(
          "no schedulerName was found next to the Policy: this is for default-scheduler; give "
          "--scheduler-name for another one");
    }
    return absl::OkStatus();
  }

  absl::Status WriteExtenders() {
    const YAML::Node extenders = policy_["extenders"];
    if (IsAbsent(extenders)) return absl::OkStatus();
    if (!extenders.IsSequence()) {
      return source_.Error({"extenders", extenders.Mark().line + 1}, "expected a list");
    }
    for (size_t i = 0; i < extenders.size(); ++i) {
      const auto extender = Extender(extenders[i], PlaceOfElement("extenders", i, extenders[i]));
      if (!extender.ok()) return extender.status();
      root_["extenders"].push_back(*extender);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<YAML::Node> Extender(const YAML::Node& given, const Place& place) const {
    static constexpr std::string_view kKnown[] = {
        "urlPrefix",   "filterVerb",       "preemptVerb",      "prioritizeVerb",
        "weight",      "bindVerb",         "enableHttps",      "tlsConfig",
        "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable"};
    absl::Status status = source_.CheckKeys(given, place, kKnown);
    if (!status.ok()) return status;
    const MapReader fields(given, place);
    YAML::Node extender(YAML::NodeType::Map);
    const Field<std::string> url = fields.Text("urlPrefix");
    if (url.value.empty()) return source_.Error(url.place, "expected a URL");
    extender["urlPrefix"] = TextNode(url.value);
    status = WriteVerbs(fields, &extender);
    if (status.ok()) status = WriteTruth(fields, "enableHttps", "enableHTTPS", &extender);
    if (status.ok()) status = WriteTls(given, fields, &extender);
    if (status.ok()) status = WriteTimeout(fields, &extender);
    if (status.ok()) status = WriteTruth(fields, "nodeCacheCapable", "nodeCacheCapable", &extender);
    if (status.ok()) status = WriteResources(given, place, &extender);
    if (status.ok()) status = WriteTruth(fields, "ignorable", "ignorable", &extender);
    if (!status.ok()) return status;
    return extender;
  }

  absl::Status WriteVerbs(const MapReader& fields, YAML::Node* extender) const {
    bool any = false;
    for (const char* verb : {"filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb"}) {
      const Field<std::string> text = fields.Text(verb);
      absl::Status status = source_.CheckType(text, "a text");
      if (!status.ok()) return status;
      if (text.value.empty()) continue;
      any = true;
      (*extender)[verb] = TextNode(text.value);
    }
    const Field<int64_t> weight = fields.Integer("weight");
    const bool scores = !fields.Text("prioritizeVerb").value.empty();
    if (weight.Broken() || weight.value < 0 || (scores && weight.value < 1)) {
      return source_.Error(weight.place, "expected an integer above 0");
    }
    if (weight.value > 0) (*extender)["weight"] = weight.value;
    if (any) return absl::OkStatus();
    return source_.Error(fields.place(), "has no verb, so it was never called; leave it out");
  }

  absl::Status WriteTruth(const MapReader& fields, const char* from, const char* to,
                          YAML::Node* extender) const {
    const Field<bool> value = fields.Truth(from);
    if (value.Given()) (*extender)[to] = value.value;
    return source_.CheckType(value, "true or false");
  }

  absl::Status WriteTimeout(const MapReader& fields, YAML::Node* extender) const {
    const Field<int64_t> timeout = fields.Integer("httpTimeout");
    if (timeout.Broken() || timeout.value < 0 || timeout.value > kLongestTimeout) {
      return source_.Error(timeout.place,
                           "expected nanoseconds, as a Policy has them: an integer from 1 to "
                           "3600000000000");
    }
    // 0 was "not given".
    if (timeout.value == 0) return absl::OkStatus();
    (*extender)["httpTimeout"] = TextNode(absl::FormatDuration(absl::Nanoseconds(timeout.value)));
    return absl::OkStatus();
  }

  absl::Status WriteTls(const YAML::Node& given, const MapReader& fields,
                        YAML::Node* extender) const {
    static constexpr std::string_view kKnown[] = {"insecure", "serverName", "certFile", "keyFile",
                                                  "caFile",   "certData",   "keyData",  "caData"};
    const YAML::Node tls = given["tlsConfig"];
    if (IsAbsent(tls)) return absl::OkStatus();
    const MapReader reader = fields.Map("tlsConfig");
    absl::Status status = source_.CheckKeys(tls, reader.place(), kKnown);
    if (!status.ok()) return status;
    YAML::Node written(YAML::NodeType::Map);
    status = WriteTruth(reader, "insecure", "insecure", &written);
    for (const std::string_view key : kKnown) {
      if (key == "insecure") continue;
      const Field<std::string> text = reader.Text(std::string(key));
      if (status.ok()) status = source_.CheckType(text, "a text");
      if (!text.value.empty()) written[std::string(key)] = TextNode(text.value);
    }
    (*extender)["tlsConfig"] = written;
    return status;
  }

  absl::Status WriteResources(const YAML::Node& given, const Place& place,
                              YAML::Node* extender) const {
    static constexpr std::string_view kKnown[] = {"name", "ignoredByScheduler"};
    const YAML::Node resources = given["managedResources"];
    if (IsAbsent(resources)) return absl::OkStatus();
    const std::string list = place.path + ".managedResources";
    if (!resources.IsSequence()) {
      return source_.Error({list, resources.Mark().line + 1}, "expected a list");
    }
    for (size_t i = 0; i < resources.size(); ++i) {
      const YAML::Node resource = resources[i];
      const Place at = PlaceOfElement(list, i, resource);
      absl::Status status = source_.CheckKeys(resource, at, kKnown);
      if (!status.ok()) return status;
      const MapReader fields(resource, at);
      const Field<std::string> name = fields.Text("name");
      if (name.value.empty()) return source_.Error(name.place, "expected a name");
      YAML::Node written(YAML::NodeType::Map);
      written["name"] = TextNode(name.value);
      status = WriteTruth(fields, "ignoredByScheduler", "ignoredByScheduler", &written);
      if (!status.ok()) return status;
      (*extender)["managedResources"].push_back(written);
    }
    return absl::OkStatus();
  }

  // The configuration that named the Policy, of versions v1alpha1 and v1alpha2.
  absl::Status ReadConfiguration(const SourceDocument& old) {
    for (const auto& entry : old.node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (key == "apiVersion" || key == "kind" || key == "algorithmSource") continue;
      absl::Status status = absl::OkStatus();
      if (key == "schedulerName") {
        status = ReadName(old);
      } else if (key == "leaderElection") {
        status = ReadElection(old, entry.second);
      } else if (key == "clientConnection") {
        status = ReadConnection(old, entry.second);
      } else {
        NotTaken(old, key);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void NotTaken(const SourceDocument& old, const std::string& field) {
    notes_.push_back(fmt::format("{}: {} is not taken over", old.source.name(), field));
  }

  absl::Status ReadName(const SourceDocument& old) {
    const Field<std::string> name = MapReader(old.node, Place()).Text("schedulerName");
    if (scheduler_name_.empty()) scheduler_name_ = name.value;
    return old.source.CheckType(name, "a name");
  }

  absl::Status ReadElection(const SourceDocument& old, const YAML::Node& given) {
    const Place place{"leaderElection", given.Mark().line + 1};
    if (!given.IsMap()) return old.source.Error(place, "expected a mapping");
    YAML::Node election(YAML::NodeType::Map);
    for (const auto& entry : given) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (IsAbsent(entry.second)) continue;
      if (key == "leaderElect" || key == "leaseDuration" || key == "renewDeadline" ||
          key == "retryPeriod" || key == "resourceName" || key == "resourceNamespace") {
        election[key] = entry.second;
      } else if (key == "lockObjectName") {
        election["resourceName"] = entry.second;
      } else if (key == "lockObjectNamespace") {
        election["resourceNamespace"] = entry.second;
      } else {
        NotTaken(old, "leaderElection." + key);
      }
    }
    if (election.size() == 0) return absl::OkStatus();
    root_["leaderElection"] = election;
    const MapReader fields(election, place);
    if (fields.Truth("leaderElect").Or(true)) {
      notes_.push_back(fmt::format(
          "leaderElection is by the Lease {}/{} now: the scheduler's account needs leases of "
          "coordination.k8s.io: create, and get and update of this one",
          fields.Text("resourceNamespace").Or("kube-system"),
          fields.Text("resourceName").Or("kube-scheduler")));
    }
    return absl::OkStatus();
  }

  absl::Status ReadConnection(const SourceDocument& old, const YAML::Node& given) {
    const Place place{"clientConnection", given.Mark().line + 1};
    if (!given.IsMap()) return old.source.Error(place, "expected a mapping");
    for (const auto& entry : given) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (key != "kubeconfig") {
        NotTaken(old, "clientConnection." + key);
        continue;
      }
      const Field<std::string> path = MapReader(given, place).Text(key);
      if (path.Broken()) return old.source.Error(path.place, "expected a path");
      if (!path.value.empty()) root_["clientConnection"][key] = TextNode(path.value);
    }
    return absl::OkStatus();
  }

  const Source source_;
  const YAML::Node policy_;
  const PolicyDocuments& documents_;
  std::string scheduler_name_;
  YAML::Node root_{YAML::NodeType::Map};
  std::vector<std::string> notes_;
};

}  // namespace

absl::StatusOr<ConvertedPolicy> ConvertPolicy(const SchedulerConfigInput& input,
                                              const std::string& scheduler_name) {
  // yaml-cpp reports by exceptions.
  try {
    const auto documents = FindPolicy(input);
    if (!documents.ok()) return documents.status();
    return PolicyConverter(*documents, scheduler_name).Convert();
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(YamlErrorText(input.name, input.yaml, error));
  }
}

}  // namespace outrigger::cli::policy
