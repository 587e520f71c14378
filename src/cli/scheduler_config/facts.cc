#include "cli/scheduler_config/facts.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_join.h"
#include "cli/scheduler_config/added_affinity.h"
#include "cli/scheduler_config/unchecked.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_error.h"
#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/scheduler_checks.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestFact{86'400};
constexpr seconds kShortestBindCall{5};
// kube-scheduler's defaults.
constexpr absl::Duration kHttpTimeoutDefault = absl::Seconds(5);
constexpr int64_t kVolumeBindTimeout = 600;

std::vector<MapReader> ProfilesOf(const MapReader& root) {
  std::vector<MapReader> profiles = root.List("profiles");
  if (profiles.empty()) profiles.push_back(root.Map("profiles"));
  return profiles;
}

constexpr const char* kVolumePlugin = "VolumeBinding";
constexpr const char* kVolumeTimeoutField = "bindTimeoutSeconds";
constexpr const char* kShareField = "percentageOfNodesToScore";

// 0 is the default, which hangs on the number of nodes.
bool SamplesNodes(const MapReader& root) {
  const int64_t of_all = root.Integer(kShareField).Or(0);
  const std::vector<MapReader> profiles = ProfilesOf(root);
  return std::any_of(profiles.begin(), profiles.end(), [of_all](const MapReader& profile) {
    return profile.Integer(kShareField).Or(of_all) < 100;
  });
}

// A scheduler has one extender that binds.
const Entry* Binder(const std::vector<Entry>& entries) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const Entry& entry) { return entry.Has(kBindVerb); });
  return found == entries.end() ? nullptr : &*found;
}

bool Manages(const Entry& entry, std::string_view resource) {
  const std::vector<MapReader> managed = entry.fields.List("managedResources");
  return std::any_of(managed.begin(), managed.end(), [resource](const MapReader& one) {
    return one.Text("name").value == resource;
  });
}

// By its URL, else as the one at the address of the entry that binds, else by the resource that
// pods ask for: a proxy may stand before the agents.
const Entry* Filter(const std::vector<Entry>& entries, const Entry* binder,
                    const std::vector<const AgentInfo*>& served) {
  const auto find = [&entries](const auto& is_it) -> const Entry* {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.Has(kFilterVerb) && is_it(entry);
    });
    return found == entries.end() ? nullptr : &*found;
  };
  const Entry* found = find([&served](const Entry& entry) {
    return std::any_of(served.begin(), served.end(), [&entry](const AgentInfo* agent) {
      return agent->factory.wishes.last && entry.Calls(*agent);
    });
  });
  if (found != nullptr) return found;
  found = find([binder](const Entry& entry) {
    return binder != nullptr && binder->url && entry.url &&
           entry.url->Address() == binder->url->Address();
  });
  if (found != nullptr) return found;
  return find([](const Entry& entry) { return Manages(entry, plan::kCallResource); });
}

// Nothing for no limit.
std::optional<seconds> BindTimeoutOf(const Entry& binder) {
  const Field<absl::Duration>& timeout = binder.timeout;
  if (timeout.value < absl::ZeroDuration()) return std::nullopt;
  const bool is_default = !timeout.Given() || timeout.value == absl::ZeroDuration();
  const absl::Duration limit = is_default ? kHttpTimeoutDefault : timeout.value;
  return std::min(kLongestFact, seconds(absl::ToInt64Seconds(limit)));
}

class FileReader {
 public:
  FileReader(const SchedulerConfigInput& input, const std::vector<SettingGroup>& groups,
             const LeftOutAgents& left_out, const std::vector<const AgentInfo*>& served)
      : input_(input), groups_(groups), left_out_(left_out), served_(served) {}

  absl::StatusOr<SchedulerFacts> Read() const {
    const std::vector<YAML::Node> documents = LoadDocuments(input_.yaml);
    if (documents.size() != 1) {
      return absl::InvalidArgumentError(fmt::format("{}: has {} documents; expected one {}",
                                                    input_.name, documents.size(), kConfigKind));
    }
    const YAML::Node& node = documents[0];
    const MapReader root(node, Place{"", node.Mark().line + 1});
    if (!node.IsMap() || root.Text("kind").value != kConfigKind) {
      return Refuse(root, "kind", root.Text("kind").place, kConfigKind);
    }
    const auto paths = ServedPaths(groups_);
    if (!paths.ok()) return paths.status();
    const std::vector<Entry> entries = ReadEntries(root, groups_, left_out_, *paths);
    absl::Status status = CheckProfiles(root);
    if (status.ok()) status = CheckElection(root.Map("leaderElection"));
    if (const Entry* const binder = Binder(entries);
        status.ok() && binder != nullptr && binder->timeout.Broken()) {
      status =
          Refuse(binder->fields, "httpTimeout", binder->timeout.place, "a duration such as 10m30s");
    }
    if (!status.ok()) return status;
    SchedulerFacts facts = FactsOf(root, entries, served_);
    facts.file = input_.name;
    status = CheckFacts(facts);
    if (!status.ok()) return status;
    return facts;
  }

 private:
  absl::Status Refuse(const MapReader& map, const std::string& field, const Place& place,
                      std::string_view accepted) const {
    return absl::InvalidArgumentError(Printable(
        fmt::format("{}:{}: {}: \"{}\" is not accepted; expected {}", input_.name, place.line,
                    place.path.empty() ? field : place.path, map.Text(field).value, accepted)));
  }

  absl::Status CheckProfiles(const MapReader& root) const {
    std::map<std::string, std::string> places;
    for (const MapReader& profile : root.List("profiles")) {
      const Field<std::string> name = profile.Text("schedulerName");
      if (name.Broken()) {
        return Refuse(profile, "schedulerName", name.place, "the name of a scheduler");
      }
      const auto [first, added] = places.emplace(name.Or(kDefaultScheduler), profile.place().path);
      if (!added) {
        return Refuse(profile, "schedulerName", name.place,
                      fmt::format("another name than that of {}", first->second));
      }
      const MapReader arguments = ArgumentsOf(profile, kVolumePlugin);
      const Field<int64_t> volumes = arguments.Integer(kVolumeTimeoutField);
      if (volumes.Broken()) {
        return Refuse(arguments, kVolumeTimeoutField, volumes.place, "a number of seconds");
      }
      Place refused;
      if (const auto affinity = ReadAddedAffinity(profile, &refused); !affinity.ok()) {
        return absl::InvalidArgumentError(
            Printable(fmt::format("{}:{}: {}: {}", input_.name, refused.line, refused.path,
                                  std::string(affinity.status().message()))));
      }
    }
    return absl::OkStatus();
  }

  // What no field alone is wrong about.
  absl::Status CheckFacts(const SchedulerFacts& facts) const {
    const bool binds = std::any_of(served_.begin(), served_.end(),
                                   [](const AgentInfo* agent) { return agent->factory.binds; });
    if (binds && facts.bind_timeout && *facts.bind_timeout < kShortestBindCall) {
      return absl::InvalidArgumentError(
          fmt::format("{}: httpTimeout of the bind entry is {} s, but members of a gang wait for "
                      "each other in that call; set at least {} s (630 s is usual)",
                      input_.name, facts.bind_timeout->count(), kShortestBindCall.count()));
    }
    const auto checks = plan::SchedulerChecks::Parse(facts.unchecked);
    if (checks.ok()) return absl::OkStatus();
    return absl::InvalidArgumentError(fmt::format("{}: disabled checks of this scheduler: {}",
                                                  input_.name,
                                                  std::string(checks.status().message())));
  }

  absl::Status CheckElection(const MapReader& election) const {
    const Field<bool> elect = election.Truth("leaderElect");
    if (elect.Broken()) return Refuse(election, "leaderElect", elect.place, "true or false");
    for (const char* field : {"resourceNamespace", "resourceName"}) {
      const Field<std::string> text = election.Text(field);
      if (text.Broken()) return Refuse(election, field, text.place, "a name");
    }
    return absl::OkStatus();
  }

  const SchedulerConfigInput& input_;
  const std::vector<SettingGroup>& groups_;
  const LeftOutAgents& left_out_;
  const std::vector<const AgentInfo*>& served_;
};

}  // namespace

std::optional<std::string> LeaseOf(const MapReader& root) {
  const MapReader election = root.Map("leaderElection");
  const Field<bool> elect = election.Truth("leaderElect");
  const Field<std::string> name_space = election.Text("resourceNamespace");
  const Field<std::string> name = election.Text("resourceName");
  if (elect.Broken() || name_space.Broken() || name.Broken()) return std::nullopt;
  if (!elect.Or(true)) return "none";
  return fmt::format("{}/{}", name_space.value.empty() ? "kube-system" : name_space.value,
                     name.value.empty() ? "kube-scheduler" : name.value);
}

SchedulerFacts FactsOf(const MapReader& root, const std::vector<Entry>& entries,
                       const std::vector<const AgentInfo*>& served) {
  SchedulerFacts facts;
  const std::vector<UncheckedProfile> profiles = ReadUnchecked(root);
  facts.unchecked = UncheckedText(profiles);
  for (const UncheckedProfile& profile : profiles) {
    const auto& added = profile.unchecked.added_affinity;
    if (added) facts.added_affinity.emplace(profile.name, *added);
    if (profile.spreads) facts.spreading.insert(profile.name);
  }
  std::vector<std::string> names;
  int64_t volumes = 0;
  for (const MapReader& profile : ProfilesOf(root)) {
    names.push_back(profile.Text("schedulerName").Or(kDefaultScheduler));
    volumes = std::max(
        volumes,
        ArgumentsOf(profile, kVolumePlugin).Integer(kVolumeTimeoutField).Or(kVolumeBindTimeout));
  }
  facts.names = absl::StrJoin(names, ",");
  facts.volume_bind_timeout = std::clamp(seconds(volumes), seconds(1), kLongestFact);
  facts.lease = LeaseOf(root);
  facts.samples_nodes = SamplesNodes(root);
  const Entry* const binder = Binder(entries);
  if (binder != nullptr) facts.bind_timeout = BindTimeoutOf(*binder);
  const Entry* const filter = Filter(entries, binder, served);
  if (filter != nullptr) facts.members_only = Manages(*filter, plan::kCallResource);
  return facts;
}

absl::StatusOr<SchedulerFacts> ReadSchedulerFacts(const SchedulerConfigInput& input,
                                                  const std::vector<SettingGroup>& groups,
                                                  const LeftOutAgents& left_out,
                                                  const std::vector<const AgentInfo*>& served) {
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    return FileReader(input, groups, left_out, served).Read();
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(YamlErrorText(input.name, input.yaml, error)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", input.name, error.what())));
  }
}

}  // namespace outrigger::cli
