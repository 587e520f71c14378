#include "gang/commands/commands.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "console/args/flags.h"
#include "console/format/text.h"
#include "console/reading/input.h"
#include "fmt/format.h"
#include "gang/commands/cluster_plan.h"
#include "gang/commands/gang_text.h"
#include "gang/plan/group.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using plan::GroupState;

struct GangFlags : ExplainFlags {  // without a name: all
  PlanFlags plan;
  bool only_groups = false;
};

absl::Status NoGang(const GangPlan& plan, const PodName& wanted, const std::string& where) {
  std::set<std::string> elsewhere;
  std::vector<std::string> names;
  for (const GroupState& group : plan.groups()) {
    if (group.key.name == wanted.name) elsewhere.insert(group.key.namespace_);
    const bool in_sight = wanted.name_space.empty() || wanted.name_space == group.key.namespace_;
    if (in_sight) names.push_back(group.key.name);
  }
  std::string hint;
  if (!elsewhere.empty()) {
    hint =
        fmt::format("; there is one in namespace {}", Listed({elsewhere.begin(), elsewhere.end()}));
  } else if (const auto near = NearNames(wanted.name, names); !near.empty()) {
    hint = fmt::format("; similar names: {}", Listed(near));
  } else if (plan.groups().empty()) {
    hint = "; it has no gangs";
  }
  return absl::NotFoundError(Printable(
      fmt::format("{} has no gang {}{}{}", where, wanted.name,
                  wanted.name_space.empty() ? "" : " in namespace " + wanted.name_space, hint)));
}

/// The groups to be shown: of that name, of every dialect; or all, for an empty name.
absl::StatusOr<std::vector<const GroupState*>> Select(const GangPlan& plan, const PodName& wanted,
                                                      const std::string& where) {
  std::vector<const GroupState*> found;
  std::set<std::string> spaces;
  for (const GroupState& group : plan.groups()) {
    if (!wanted.name.empty() && group.key.name != wanted.name) continue;
    if (!wanted.name_space.empty() && group.key.namespace_ != wanted.name_space) continue;
    found.push_back(&group);
    spaces.insert(group.key.namespace_);
  }
  std::sort(found.begin(), found.end(), [](const GroupState* a, const GroupState* b) {
    return std::tie(a->key.namespace_, a->key.name, a->key.dialect) <
           std::tie(b->key.namespace_, b->key.name, b->key.dialect);
  });
  if (wanted.name.empty()) return found;
  if (found.empty()) return NoGang(plan, wanted, where);
  if (spaces.size() > 1) {
    return absl::InvalidArgumentError(Printable(
        fmt::format("{} has a gang {} in each of the namespaces {}; choose one with --namespace",
                    where, wanted.name, Listed({spaces.begin(), spaces.end()}))));
  }
  return found;
}

// A dump need not have what the cluster has.
void NoteWhatIsNotServed(const std::vector<const GroupState*>& groups,
                         const PlannedCluster& cluster, std::vector<std::string>* notes) {
  std::set<std::string> missing;
  for (const GroupState* group : groups) {
    if (group->cause != plan::GroupCause::kNotServed) continue;
    missing.emplace(plan::ResourceOf(group->key.dialect));
  }
  for (const std::string& resource : missing) {
    notes->push_back(
        Printable(fmt::format("{0} has no {1}, so the cluster is assumed to have none; `kubectl "
                              "get nodes,pods,priorityclasses,{1} -A -o yaml` prints them",
                              cluster.where, resource)));
  }
}

// What was malformed about what is shown; of all groups also pods that are in none for it.
void AddPlanNotes(const GangPlan& plan, const std::vector<const GroupState*>& shown, bool all,
                  std::vector<std::string>* notes) {
  for (const plan::Note& note : plan.notes()) {
    const bool wanted = all || std::any_of(shown.begin(), shown.end(), [&](const auto* group) {
                          return TextOf(group->key) == note.about;
                        });
    if (wanted) notes->push_back(Printable(note.about + ": " + note.text));
  }
}

// What the agent has last said of gangs that are not whole; of one that is it is of the past.
void AddTold(ClusterObjects* objects, ExplainedGangs* explained, std::vector<std::string>* notes) {
  for (ExplainedGang& gang : explained->gangs) {
    if (gang.state == GangState::kWhole) continue;
    const auto all = objects->ReadTold(gang.group.key.namespace_);
    if (all.ok()) {
      gang.told = LastTold(*all, gang.group.key, gang.oldest);
    } else if (!absl::IsNotFound(all.status())) {
      notes->push_back(Printable(fmt::format("the agent's Events are not shown: {}",
                                             std::string(all.status().message()))));
    }
  }
}

std::string InForm(const GangFlags& flags, const World& world, const ExplainedGangs& gangs) {
  if (flags.output == "json") return GangJson(gangs);
  if (flags.output == "yaml") return GangYaml(gangs);
  const bool color = IsColored(flags.color, world);
  const size_t columns = world.terminal.is_one ? world.terminal.columns : 0;
  return flags.name.empty() ? GangList(gangs, color, columns) : GangTable(gangs, color, columns);
}

absl::StatusOr<ExplainText> ExplainGang(const GangFlags& flags, const World& world) {
  const auto objects = OpenCluster(flags, world);
  if (!objects.ok()) return objects.status();
  const auto cluster = (*objects)->ReadPlanned();
  if (!cluster.ok()) return cluster.status();

  PodName wanted{flags.name_space, flags.name};
  if (!wanted.name.empty() && wanted.name_space.empty()) {
    wanted.name_space = (*objects)->DefaultNamespace();
  }
  GangPlan plan(&*cluster, flags.plan, flags.only_groups);
  const auto groups = Select(plan, wanted, cluster->where);
  if (!groups.ok()) return groups.status();
  ExplainedGangs explained;
  explained.waiting = plan.waiting();
  for (const GroupState* group : *groups) {
    explained.gangs.push_back(plan.Explain(*group, /*figures=*/!wanted.name.empty()));
  }
  ExplainText result;
  result.notes = cluster->notes;
  if (!wanted.name.empty()) AddTold(objects->get(), &explained, &result.notes);
  if (!flags.cluster.empty()) NoteWhatIsNotServed(*groups, *cluster, &result.notes);
  AddPlanNotes(plan, *groups, wanted.name.empty(), &result.notes);
  if (groups->empty()) result.notes.push_back(cluster->where + ": no pod is in a gang");
  result.text = InForm(flags, world, explained);
  return result;
}

absl::StatusOr<GangFlags> ReadGangFlags(const Given& given) {
  GangFlags flags;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (status.ok()) status = ReadName(given, "gang", &flags);
  if (!status.ok()) return status;
  if (given.Has("name") && flags.name.empty()) {
    return given.Wrong("the name of the gang is empty; omit it to list all");
  }
  auto plan = ReadPlanFlags(given);
  if (!plan.ok()) return plan.status();
  flags.plan = *std::move(plan);
  flags.only_groups = given.Has("--only-groups");
  return flags;
}

}  // namespace

Command ExplainGangCommand() {
  Command command{
      .name = "explain gang",
      .summary = "Whether a gang (PodGroup) fits, and what it waits for; or list all gangs",
      .opens_connections = true,
      .run = RunOf(ReadGangFlags, ExplainGang)};
  command.flags = Together(
      {{{.name = "name", .help = "NAME or NAMESPACE/NAME of a gang of any kind; default: list all"},
        {.name = "-n,--namespace",
         .value = "NS",
         .help = "namespace of the gang (default: the context's; with --cluster, the only one that "
                 "has it; all, to list gangs)"}},
       PlanningFlags(),
       {{.name = "--only-groups",
         .help = "Report members that do not request outrigger.dev/gang and "
                 "outrigger.dev/gang-bind, for schedulers configured with --members-only; by "
                 "default only in gangs where other members do"},
        OutputFlag({"table", "json", "yaml"}),
        ColorFlag()}});
  command.notes =
      "All waiting gangs and single pods are planned together, as in agent gang. This command does "
      "not know\nwhat the agent remembers (rejections by kube-scheduler, gangs that gave up their "
      "nodes), nor\naddedAffinity of profiles.";
  return command;
}

}  // namespace outrigger::cli
