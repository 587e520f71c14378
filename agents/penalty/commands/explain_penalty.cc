#include "penalty/commands/explain_penalty.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/args/flags.h"
#include "console/pages/agent_page.h"
#include "console/pages/page_text.h"
#include "console/reading/input.h"
#include "console/reading/live_cluster.h"
#include "fmt/format.h"
#include "penalty/classes/time.h"
#include "penalty/commands/journal_pages.h"
#include "penalty/commands/live_penalty.h"

namespace outrigger::cli {
namespace {

struct PenaltyFlags : JournalPlace {
  std::string agent;             // URL of the agent to ask; empty: the journal is read
  std::string output = "table";  // table, json or yaml
  std::string color = "auto";    // auto, always or never
  size_t limit = kMostRows;      // rows of a table at most
};

constexpr std::string_view kWithoutPenalty =
    "Agent penalty is not served there (serve --agents penalty); without --agent the journal in "
    "the cluster is read";

absl::StatusOr<std::vector<NamedPage>> PagesOfAgent(const PenaltyFlags& flags) {
  std::vector<NamedPage> pages;
  for (const PenaltyPage& page : PagesOfPenalty()) {
    auto table = AskForPage({flags.agent, page.spec.name, kWithoutPenalty}, flags.limit);
    if (!table.ok()) return table.status();
    pages.push_back({page.key, *std::move(table)});
  }
  return pages;
}

absl::StatusOr<std::vector<NamedPage>> PagesOfCluster(const PenaltyFlags& flags, const World& world,
                                                      std::vector<std::string>* notes) {
  auto client =
      OpenLiveClient({flags.kubeconfig, flags.context}, world.environment,
                     "--kubeconfig FILE, or --agent URL to ask a running agent (see --help)");
  if (!client.ok()) return client.status();
  auto cluster = OpenLiveCluster({flags.kubeconfig, flags.context}, world.environment);
  if (!cluster.ok()) return cluster.status();
  LivePenalty live(*std::move(client), *std::move(cluster), [](const std::string&) {});
  auto pages = PagesOfJournal(
      live.Cluster(),
      {flags.name_space, flags.limit, penalty::MillisOf(std::chrono::system_clock::now())}, notes);
  if (absl::IsInvalidArgument(pages.status())) {
    return absl::InternalError(pages.status().message());  // what the cluster said
  }
  if (!pages.ok()) return pages.status();
  if (pages->front().table.total() > 0) {
    notes->push_back(
        fmt::format("penalties are those of the last count in the journal of namespace {}, and "
                    "floors ignore the agent's settings; --agent URL shows the current ones",
                    flags.name_space));
  }
  return pages;
}

Style PenaltyStyleOf(std::string_view column, std::string_view text) {
  if (column == "class" || column == "name") return Style::kStrong;
  if (column != "state") return Style::kPlain;
  if (text == "at base") return Style::kGood;
  return text == "penalised" || text == "recovers" || text == "writes" ? Style::kUnsure
                                                                       : Style::kBad;
}

std::string PenaltyTables(const PenaltyFlags& flags, const World& world,
                          const std::vector<NamedPage>& pages) {
  const bool color = IsColored(flags.color, world);
  const PageForm form{.color = color,
                      .columns = world.terminal.is_one ? world.terminal.columns : 0,
                      .style_of = PenaltyStyleOf};
  const std::vector<PenaltyPage> titles = PagesOfPenalty();
  std::string text;
  for (size_t i = 0; i < pages.size(); ++i) {
    const bool is_empty = pages[i].table.rows().empty();
    text +=
        fmt::format("{}{}:{}", i == 0 ? "" : "\n", Styled(titles[i].title, Style::kStrong, color),
                    is_empty ? " none\n" : "\n");
    if (!is_empty) text += PageText(pages[i].table, form);
  }
  return text;
}

absl::StatusOr<ExplainText> ExplainPenalty(const PenaltyFlags& flags, const World& world) {
  ExplainText result;
  const auto pages =
      flags.agent.empty() ? PagesOfCluster(flags, world, &result.notes) : PagesOfAgent(flags);
  if (!pages.ok()) return pages.status();
  for (const NamedPage& page : *pages) {
    if (!page.table.truncated()) continue;
    result.notes.push_back(fmt::format("{}: the first {} of {} rows are shown", page.name,
                                       page.table.rows().size(), page.table.total()));
  }
  if (flags.output == "json") {
    result.text = PagesJson(*pages);
  } else if (flags.output == "yaml") {
    result.text = PagesYaml(*pages);
  } else {
    result.text = PenaltyTables(flags, world, *pages);
  }
  return result;
}

absl::StatusOr<PenaltyFlags> ReadPenaltyFlags(const Given& given) {
  PenaltyFlags flags;
  absl::Status status = ReadJournalPlace(given, &flags);
  if (status.ok()) status = ReadLimit(given, &flags.limit);
  if (status.ok()) status = CheckNotEmpty(given, "--agent", "http://127.0.0.1:PORT");
  if (!status.ok()) return status;
  flags.agent = given.Value("--agent");
  for (const char* flag : {"--kubeconfig", "--context", "--namespace"}) {
    if (flags.agent.empty() || !given.Has(flag)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{} is only for the journal in the cluster; --agent shows the agent's data", flag));
  }
  flags.output = given.Value("--output", flags.output);
  flags.color = given.Value("--color", flags.color);
  return flags;
}

}  // namespace

Command ExplainPenaltyCommand() {
  Command command{
      .name = "explain penalty",
      .summary = "Priority classes with their penalties, changes, totals and counted PodGroups",
      .opens_connections = true,
      .run = RunOf(ReadPenaltyFlags, ExplainPenalty)};
  command.flags = Together(
      {{{.name = "--agent",
         .value = "URL",
         .help = "ask the running agent penalty at http://127.0.0.1:PORT, its admin port (9975; in "
                 "a cluster: kubectl port-forward); default: read its journal in the cluster"}},
       JournalFlags(),
       {LimitFlag("rows of a table"), OutputFlag({"table", "json", "yaml"}), ColorFlag()}});
  command.notes =
      "Without --agent, penalties are those of the last count: this command does not know the "
      "agent's\nsettings for recovery.";
  return command;
}

}  // namespace outrigger::cli
