#include "cli/annotate/families.h"

#include <string>
#include <utility>

namespace outrigger::cli {
namespace {

using Series = server::ShownFamily::Series;

server::ShownFamily Counter(std::string name, std::string help, std::vector<Series> series) {
  return {.name = std::move(name),
          .help = std::move(help),
          .is_counter = true,
          .series = std::move(series)};
}

server::ShownFamily Gauge(std::string name, std::string help, double value) {
  return {.name = std::move(name),
          .help = std::move(help),
          .is_counter = false,
          .series = {{.labels = {}, .value = value}}};
}

std::vector<Series> One(double value) {
  return {{.labels = {}, .value = value}};
}

}  // namespace

std::vector<server::ShownFamily> FamiliesOf(const annotate::Figures& figures) {
  std::vector<Series> patches;
  for (const auto& [outcome, count] : figures.patches) {
    patches.push_back({.labels = {{"outcome", outcome}}, .value = static_cast<double>(count)});
  }
  std::vector<Series> missing;
  for (const auto& [key, count] : figures.missing) {
    missing.push_back({.labels = {{"node", key.first}, {"cause", key.second}},
                       .value = static_cast<double>(count)});
  }
  std::vector<server::ShownFamily> families;
  families.push_back(Counter("outrigger_annotate_patches_total",
                             "Patches of nodes, by their outcome.", std::move(patches)));
  families.push_back(Counter("outrigger_annotate_missing_total",
                             "Values that the source did not have, by node and cause.",
                             std::move(missing)));
  families.push_back(Counter("outrigger_annotate_removed_total",
                             "Annotations that were removed, since the source lost their value.",
                             One(static_cast<double>(figures.removed))));
  families.push_back(Counter("outrigger_annotate_rounds_total", "Rounds that computed values.",
                             One(static_cast<double>(figures.rounds))));
  families.push_back(Counter("outrigger_annotate_failed_rounds_total",
                             "Rounds that failed, since the cluster or the source did.",
                             One(static_cast<double>(figures.failed_rounds))));
  families.push_back(Counter("outrigger_annotate_round_seconds_total",
                             "Time of all rounds, the source's own included.",
                             One(figures.round_seconds)));
  families.push_back(Counter("outrigger_annotate_compare_seconds_total",
                             "Time of all rounds after the source's answer.",
                             One(figures.compute_seconds)));
  families.push_back(Gauge("outrigger_annotate_pending_nodes",
                           "Nodes whose patch is not written yet.",
                           static_cast<double>(figures.pending)));
  families.push_back(Gauge("outrigger_annotate_nodes", "Nodes of the last round.",
                           static_cast<double>(figures.nodes)));
  families.push_back(Gauge("outrigger_annotate_incomplete_nodes",
                           "Nodes of the last round that lacked a value.",
                           static_cast<double>(figures.nodes_without)));
  families.push_back(Gauge("outrigger_annotate_leader", "1 while this process writes, else 0.",
                           figures.is_leader ? 1 : 0));
  return families;
}

}  // namespace outrigger::cli
