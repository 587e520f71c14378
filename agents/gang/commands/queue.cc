#include "gang/commands/commands.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "console/args/flags.h"
#include "console/pages/agent_page.h"
#include "console/pages/page_text.h"
#include "console/reading/input.h"
#include "fmt/format.h"
#include "gang/commands/cluster_plan.h"
#include "gang/plan/queue.h"
#include "gang/plan/terms.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

struct QueueFlags : ExplainFlags {
  PlanFlags plan;
  std::string agent;         // URL of the agent to ask; empty: the queue is planned here
  size_t limit = kMostRows;  // rows at most
};

constexpr std::string_view kWithoutQos =
    "No agent that keeps the queue is served there (serve --agents gang, qos, or gang,qos); "
    "without --agent the queue is planned from the cluster";

// Only in JSON and YAML: a table of them has no room on a screen.
constexpr std::string_view kNotInTable[] = {"members", "bound", "minimum", "why"};

// Groups are in the order of their keys.
plan::QueueEntry EntryOf(const plan::Unit& unit, const std::vector<plan::GroupState>& groups) {
  const auto group = std::lower_bound(
      groups.begin(), groups.end(), unit.key,
      [](const plan::GroupState& state, const plan::UnitKey& key) { return state.key < key; });
  const bool is_known = group != groups.end() && group->key == unit.key;
  return {.key = &unit.key,
          .rank = &unit.rank,
          .lacks = {},
          .first = unit.members.empty() ? nullptr : unit.members.front().pod.get(),
          .members = static_cast<int64_t>(unit.members.size()),
          .bound = unit.bound,
          .minimum = is_known ? group->minimum : unit.minimum};
}

PageTable QueueOf(const ClusterPlan& planned, size_t limit) {
  const std::vector<plan::Unit>& units = planned.grouped.units;
  std::vector<std::string> causes;
  for (const plan::UnitPlan& unit : planned.plan.units) causes.push_back(TextOf(unit.cause));
  const std::vector<plan::GroupState>& groups = planned.grouped.groups;
  std::vector<plan::QueueEntry> entries;
  for (size_t i = 0; i < units.size(); ++i) {
    plan::QueueEntry& entry = entries.emplace_back(EntryOf(units[i], groups));
    entry.fits = planned.plan.units[i].fits;
    entry.lacks = causes[i];
    entry.cause = &planned.plan.units[i].cause;
  }
  for (const plan::Unit& unit : planned.left_out) {
    // A gang is a unit that rests; a single pod is left to kube-scheduler.
    if (unit.key.dialect == Dialect::kNone) continue;
    entries.emplace_back(EntryOf(unit, groups)).lacks = plan::TermLimit::Reason();
  }
  PageTable table(plan::QueuePage().columns, limit);
  plan::FillQueuePage(std::move(entries), &table);
  return table;
}

bool AGangWaits(const ClusterPlan& planned) {
  const std::vector<plan::Unit>& units = planned.grouped.units;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].key.dialect != Dialect::kNone && !planned.plan.units[i].fits) return true;
  }
  return false;
}

void AddPlanNotes(const ClusterPlan& planned, std::vector<std::string>* notes) {
  for (const plan::Note& note : planned.notes) {
    notes->push_back(Printable(note.about + ": " + note.text));
  }
  for (const plan::Unit& unit : planned.left_out) {
    if (unit.key.dialect != Dialect::kNone) continue;
    notes->push_back(Printable(fmt::format("{}: {}", TextOf(unit.key), plan::TermLimit::Reason())));
  }
  if (AGangWaits(planned)) {
    notes->emplace_back(
        "gangs are planned as a whole here; qos without gang starts their members one by one (see "
        "--agent)");
  }
  const auto waiting = std::count_if(planned.grouped.groups.begin(), planned.grouped.groups.end(),
                                     [](const auto& group) {
                                       return group.cause != plan::GroupCause::kNone &&
                                              group.cause != plan::GroupCause::kLeftToScheduler;
                                     });
  if (waiting == 0) return;
  notes->push_back(
      fmt::format("{} not in the queue: {} more than places (see `outrigger "
                  "explain gang`)",
                  waiting == 1 ? "1 gang is" : fmt::format("{} gangs are", waiting),
                  waiting == 1 ? "it lacks" : "they lack"));
}

absl::StatusOr<PageTable> PlanQueue(const QueueFlags& flags, const World& world,
                                    std::vector<std::string>* notes) {
  const auto objects = OpenCluster(flags, world);
  if (!objects.ok()) return objects.status();
  const auto cluster = (*objects)->ReadPlanned();
  if (!cluster.ok()) return cluster.status();
  const ClusterPlan planned(*cluster, flags.plan);
  *notes = cluster->notes;
  AddPlanNotes(planned, notes);
  return QueueOf(planned, flags.limit);
}

Style StyleOf(std::string_view column, std::string_view text) {
  if (column == "unit") return Style::kStrong;
  if (column != "state") return Style::kPlain;
  return text == "waits" ? Style::kBad : Style::kGood;
}

PageTable WithoutWideColumns(const PageTable& queue) {
  const auto is_kept = [&](size_t column) {
    return std::find(std::begin(kNotInTable), std::end(kNotInTable),
                     queue.columns()[column].name) == std::end(kNotInTable);
  };
  std::vector<PageColumn> columns;
  for (size_t i = 0; i < queue.columns().size(); ++i) {
    if (is_kept(i)) columns.push_back(queue.columns()[i]);
  }
  PageTable table(std::move(columns), queue.rows().size());
  for (const std::vector<PageCell>& cells : queue.rows()) {
    std::vector<PageCell> row;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (is_kept(i)) row.push_back(cells[i]);
    }
    table.Add(std::move(row));
  }
  return table;
}

std::string InForm(const QueueFlags& flags, const World& world, const PageTable& queue) {
  if (flags.output == "json") return PageJson(queue);
  if (flags.output == "yaml") return PageYaml(queue);
  if (queue.total() == 0) return "Nothing waits.\n";
  return PageText(WithoutWideColumns(queue),
                  {.now = absl::ToUnixSeconds(absl::Now()),
                   .color = IsColored(flags.color, world),
                   .columns = world.terminal.is_one ? world.terminal.columns : 0,
                   .style_of = StyleOf});
}

absl::StatusOr<ExplainText> ExplainQueue(const QueueFlags& flags, const World& world) {
  ExplainText result;
  const auto queue =
      flags.agent.empty()
          ? PlanQueue(flags, world, &result.notes)
          : AskForPage({flags.agent, plan::QueuePage().name, kWithoutQos}, flags.limit);
  if (!queue.ok()) return queue.status();
  if (queue->truncated()) {
    result.notes.push_back(
        fmt::format("the first {} of {} units are shown", queue->rows().size(), queue->total()));
  }
  result.text = InForm(flags, world, *queue);
  return result;
}

// For a plan that is made here.
constexpr const char* kPlanFlags[] = {"--cluster",         "--kubeconfig", "--context",
                                      "--scheduler-names", "--unchecked",  "--pod-priority"};

absl::StatusOr<QueueFlags> ReadQueueFlags(const Given& given) {
  QueueFlags flags;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (status.ok()) status = CheckNotEmpty(given, "--agent", "http://127.0.0.1:PORT");
  if (!status.ok()) return status;
  flags.agent = given.Value("--agent");
  for (const char* flag : kPlanFlags) {
    if (flags.agent.empty() || !given.Has(flag)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{} is only for a plan made by this command; --agent shows the agent's plan", flag));
  }
  auto plan = ReadPlanFlags(given);
  if (!plan.ok()) return plan.status();
  flags.plan = *std::move(plan);
  flags.plan.order_by_pod_priority = given.Value("--pod-priority", "true") == "true";
  status = ReadLimit(given, &flags.limit);
  if (!status.ok()) return status;
  return flags;
}

}  // namespace

Command ExplainQueueCommand() {
  Command command{.name = "explain queue",
                  .summary = "Queue of waiting gangs and pods: order, state, missing resources",
                  .opens_connections = true,
                  .run = RunOf(ReadQueueFlags, ExplainQueue)};
  command.flags = Together(
      {{{.name = "--agent",
         .value = "URL",
         .help =
             "ask the running agent gang or qos at http://127.0.0.1:PORT, its admin port (9971, "
             "9972; in a cluster: kubectl port-forward); default: this command plans the queue"}},
       PlanningFlags(),
       {{.name = "--pod-priority",
         .value = "BOOL",
         .help = "order by pod priority, as in the agent's setting (default true)",
         .words = {"true", "false"}},
        LimitFlag("rows"),
        OutputFlag({"table", "json", "yaml"}),
        ColorFlag()}});
  command.notes =
      "Without --agent, all waiting gangs and single pods are planned together, as in agents gang "
      "and qos.\nThis command does not know what they remember (rejections by kube-scheduler, "
      "gangs that gave up their\nnodes), nor addedAffinity of profiles.";
  return command;
}

}  // namespace outrigger::cli
