#include "cli/scheduler_config/extenders.h"

#include <set>

#include "cli/scheduler_config/entries.h"
#include "cli/scheduler_config/extender_node.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// An agent that gets TLS is the same agent.
std::string WithoutScheme(const std::string& url) {
  const size_t scheme = url.find("://");
  return scheme == std::string::npos ? url : url.substr(scheme + 3);
}

std::string WithoutTrailingSlash(std::string url) {
  url.erase(url.find_last_not_of('/') + 1);
  return url;
}

bool HasText(const YAML::Node& extender, const char* field) {
  const YAML::Node value = extender[field];
  return !IsAbsent(value) && !value.Scalar().empty();
}

bool IsIgnorable(const YAML::Node& extender) {
  const YAML::Node ignorable = extender["ignorable"];
  return !IsAbsent(ignorable) && ignorable.Scalar() == "true";
}

// At merged paths it is not known which agents are served: those that plan are the ones that let
// nothing be evicted or bound without them.
bool MayPlan(const Entry& entry) {
  const bool is_merged = entry.ours && entry.agent == nullptr;
  return entry.Plans() || (is_merged && (entry.Has(kPreemptVerb) || entry.Has(kBindVerb)));
}

// The list as it will be: filters are called in its order, so who plans is behind all others.
class ExtenderList {
 public:
  ExtenderList(const SchedulerConfigPlan& plan, const std::string& name,
               std::vector<std::string>* notes)
      : plan_(plan), name_(name), notes_(notes) {
    for (const ExtenderEntry& extender : plan_.extenders) {
      ours_.insert(WithoutScheme(extender.url_prefix));
      if (extender.agents.size() < 2) continue;
      together_.insert(extender.agents.begin(), extender.agents.end());
    }
  }

  absl::Status Keep(const YAML::Node& root) {
    const YAML::Node present = root["extenders"];
    if (IsAbsent(present)) return absl::OkStatus();
    if (!present.IsSequence()) return Error(present, "extenders: expected a list");
    for (const auto& extender : present) {
      if (!extender.IsMap()) return Error(extender, "extenders: an element must be a mapping");
      const YAML::Node url = extender["urlPrefix"];
      if (IsAbsent(url) || !url.IsScalar()) {
        return Error(extender, "extenders: an element has no urlPrefix");
      }
    }
    // The doctor's reading, so that it agrees about whose an entry is.
    const auto paths = ServedPaths(plan_.compiled_in);
    if (!paths.ok()) return paths.status();
    const MapReader reader(root, Place{"", root.Mark().line + 1});
    const auto entries = ReadEntries(reader, plan_.compiled_in, plan_.left_out, *paths);
    for (size_t i = 0; i < present.size(); ++i) {
      absl::Status status = KeepOne(present[i], entries.at(i));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Add(const ExtenderEntry& extender) {
    const bool planned = plan_.wishes.last || !last_.empty();
    if (planned && extender.ignorable && !extender.filter_verb.empty()) {
      return RefuseIgnorable(extender.url_prefix);
    }
    if (!extender.bind_verb.empty()) {
      if (!binder_.empty()) return RefuseBinder(extender);
      binder_ = extender.url_prefix;
    }
    (extender.last ? last_ : first_).push_back(ExtenderNode(extender));
    return absl::OkStatus();
  }

  YAML::Node Take() const {
    YAML::Node all(YAML::NodeType::Sequence);
    for (const YAML::Node& extender : first_) all.push_back(extender);
    for (const YAML::Node& extender : last_) all.push_back(extender);
    return all;
  }

 private:
  absl::Status Error(const YAML::Node& node, const std::string& what) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}:{}: {}", name_, node.Mark().line + 1, node.Mark().column + 1, what));
  }

  // The scheduler calls ignorable extenders after all others, whatever their order here.
  absl::Status RefuseIgnorable(const std::string& url) const {
    return absl::InvalidArgumentError(
        fmt::format("{}: the extender {} filters and is ignorable: the scheduler calls it last, "
                    "where it can reject planned nodes; remove ignorable from it",
                    name_, url));
  }

  // A scheduler sends a bind call to one extender, and does not start with two that take them.
  absl::Status RefuseBinder(const ExtenderEntry& extender) const {
    const std::string ours = fmt::format("{}", fmt::join(extender.agents, ","));
    std::string instead =
        fmt::format("leave agent {} out, or remove the other's bindVerb", extender.settings_of);
    if (binder_is_ours_) {
      const std::string both = (binder_agent_.empty() ? "ITS AGENTS" : binder_agent_) + "," + ours;
      instead = fmt::format(
          "serve them in one process: --agents {0} for `outrigger serve`, and "
          "for this command",
          both);
    }
    return absl::InvalidArgumentError(
        fmt::format("{}: bindVerb: {} binds already, and a scheduler accepts one binder only; {}",
                    name_, binder_, instead));
  }

  absl::Status KeepOne(const YAML::Node& extender, const Entry& entry) {
    const std::string url = extender["urlPrefix"].Scalar();
    const bool is_part = entry.agent != nullptr && together_.count(entry.agent->name) > 0;
    if (is_part || ours_.count(WithoutScheme(WithoutTrailingSlash(url))) > 0) {
      notes_->push_back(fmt::format("the extender {} was replaced", url));
      return absl::OkStatus();
    }
    if (HasText(extender, "bindVerb")) {
      binder_ = url;
      binder_is_ours_ = entry.ours;
      binder_agent_ = entry.agent == nullptr ? "" : entry.agent->name;
    }
    if (plan_.wishes.last && IsIgnorable(extender) && HasText(extender, "filterVerb")) {
      return RefuseIgnorable(url);
    }
    const bool plans = MayPlan(entry);
    if (!plans && !last_.empty()) NoteMoved();
    (plans ? last_ : first_).push_back(extender);
    return absl::OkStatus();
  }

  void NoteMoved() {
    for (; noted_ < last_.size(); ++noted_) {
      notes_->push_back(
          fmt::format("the extender {} was moved after the others: its plan holds only if no "
                      "filter runs after it",
                      last_[noted_]["urlPrefix"].Scalar()));
    }
  }

  const SchedulerConfigPlan& plan_;
  const std::string& name_;
  std::vector<std::string>* const notes_;
  std::set<std::string> ours_;
  std::set<std::string> together_;  // agents that are called at merged paths
  std::string binder_;              // urlPrefix of the one that binds
  bool binder_is_ours_ = false;     // and was there before
  std::string binder_agent_;        // of that one; empty: not known, or several
  std::vector<YAML::Node> first_;
  std::vector<YAML::Node> last_;
  size_t noted_ = 0;  // of last_
};

}  // namespace

absl::Status WriteExtenders(const SchedulerConfigPlan& plan, const std::string& name,
                            YAML::Node& root, std::vector<std::string>* notes) {
  ExtenderList list(plan, name, notes);
  absl::Status status = list.Keep(root);
  for (const ExtenderEntry& extender : plan.extenders) {
    if (status.ok()) status = list.Add(extender);
  }
  if (!status.ok()) return status;
  root["extenders"] = list.Take();
  for (const auto notes_of : {TlsNotes, PlannerNotes, MembersOnlyNotes, NodeNotes}) {
    for (std::string& note : notes_of(plan.extenders)) notes->push_back(std::move(note));
  }
  return absl::OkStatus();
}

}  // namespace outrigger::cli
