#include <algorithm>
#include <set>
#include <string_view>

#include "cli/monitoring/monitoring.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Query {
  std::string expr;    // $S stands for {job=~"$job"}, $W for the window of a rate
  std::string legend;  // "{{verb}}"
};

struct Panel {
  std::string title;
  std::string help;
  std::string unit;  // as Grafana names it
  std::vector<Query> queries;
};

// Some agents' metrics, in a row of their own.
struct AgentRow {
  std::string_view title;
  std::vector<std::string_view> agents;
};

const std::vector<AgentRow>& AgentRows() {
  static const std::vector<AgentRow> rows = {
      {"Queue and gangs", {"qos", "gang"}},
      {"Penalty", {"penalty"}},
      {"Load", {"pigeon", "safe", "congestion", "reward"}},
      {"Devices", {"devices"}},
  };
  return rows;
}

std::string Rate(std::string_view counter, std::string_view by) {
  return fmt::format("sum by ({}) (rate({}$S[$W]))", by, counter);
}

std::string Quantile(std::string_view quantile, std::string_view histogram, std::string_view by) {
  return fmt::format("histogram_quantile({}, sum by (le, {}) (rate({}_bucket$S[$W])))", quantile,
                     by, histogram);
}

std::vector<Panel> PanelsOfCalls() {
  const std::string duration = "outrigger_extender_request_duration_seconds";
  const std::string call = "{{agent}} {{verb}}";
  return {
      {"Calls",
       "Calls of the scheduler that were answered.",
       "reqps",
       {{Rate("outrigger_extender_requests_total", "agent, verb"), call}}},
      {"Errors",
       "Calls that were not answered normally.",
       "reqps",
       {{Rate("outrigger_extender_errors_total", "agent, verb, kind"), call + " {{kind}}"}}},
      {"Duration, median",
       "Time from a complete request to its answer.",
       "s",
       {{Quantile("0.5", duration, "agent, verb"), call}}},
      {"Duration, 99 %",
       "Time from a complete request to its answer.",
       "s",
       {{Quantile("0.99", duration, "agent, verb"), call}}},
      {"Nodes offered",
       "Nodes offered by calls.",
       "cps",
       {{Rate("outrigger_extender_nodes_total", "agent, verb"), call}}},
      {"Nodes rejected",
       "Nodes rejected, by class of reason.",
       "cps",
       {{Rate("outrigger_nodes_rejected_total", "agent, reason"), "{{agent}} {{reason}}"}}},
      {"Values that could not be used",
       "Malformed values of pods and nodes, and unknown nodes.",
       "cps",
       {{Rate("outrigger_malformed_values_total", "agent, field"), "{{agent}} {{field}}"},
        {Rate("outrigger_unknown_nodes_total", "agent"), "{{agent}} unknown nodes"}}},
      {"Pods that are pending",
       "kube-scheduler's own metric.",
       "short",
       {{"sum by (queue) (scheduler_pending_pods)", "{{queue}}"}}},
  };
}

std::vector<Panel> PanelsOfAnnotators() {
  return {
      {"Annotators: nodes",
       "Nodes of the last round, and those without all values.",
       "short",
       {{"max by (job) (outrigger_annotate_nodes$S)", "nodes"},
        {"max by (job) (outrigger_annotate_incomplete_nodes$S)", "incomplete"},
        {"max by (job) (outrigger_annotate_pending_nodes$S)", "pending"}}},
      {"Annotators: patches",
       "Patches of nodes, by their outcome.",
       "cps",
       {{Rate("outrigger_annotate_patches_total", "outcome"), "{{outcome}}"}}},
      {"Annotators: rounds",
       "Rounds that computed values, and those that failed.",
       "cps",
       {{Rate("outrigger_annotate_rounds_total", "job"), "rounds"},
        {Rate("outrigger_annotate_failed_rounds_total", "job"), "failed"}}},
  };
}

std::vector<Panel> PanelsOfProcess() {
  return {
      {"Processor",
       "Cores in use.",
       "short",
       {{"rate(process_cpu_seconds_total$S[$W])", "{{instance}}"}}},
      {"Memory",
       "Resident memory.",
       "bytes",
       {{"process_resident_memory_bytes$S", "{{instance}}"}}},
      {"Started",
       "Age of the process.",
       "s",
       {{"time() - process_start_time_seconds$S", "{{instance}}"}}},
      {"Open connections",
       "",
       "short",
       {{"outrigger_http_connections$S", "{{instance}} {{listener}}"}}},
      {"Calls in flight",
       "Requests in flight, and those that may block (bind).",
       "short",
       {{"outrigger_http_requests_in_flight$S", "{{instance}} {{listener}}"},
        {"outrigger_http_blocking_calls$S", "{{instance}} {{listener}} blocking"}}},
      {"Connections and requests that were refused",
       "",
       "cps",
       {{Rate("outrigger_http_connections_refused_total", "listener"), "{{listener}} connections"},
        {Rate("outrigger_http_requests_refused_total", "listener"), "{{listener}} requests"},
        {Rate("outrigger_http_tls_handshakes_failed_total", "listener"),
         "{{listener}} handshakes"}}},
      {"Age of what is known of the API server",
       "Up to 75 s is usual on a quiet cluster.",
       "s",
       {{"max by (resource) (outrigger_watch_age_seconds$S)", "{{resource}}"}}},
      {"Objects of the API server",
       "",
       "short",
       {{"max by (resource) (outrigger_watch_objects$S)", "{{resource}}"}}},
      {"Watches that failed, and lists",
       "",
       "cps",
       {{Rate("outrigger_watch_failures_total", "resource"), "{{resource}} failed"},
        {Rate("outrigger_watch_relists_total", "resource"), "{{resource}} lists"}}},
      {"Kubernetes Events", "", "cps", {{Rate("outrigger_events_total", "result"), "{{result}}"}}},
  };
}

std::string TitleOf(const MetricSpec& metric) {
  std::string title = metric.name;
  if (title.starts_with("outrigger_")) title.erase(0, std::string_view("outrigger_").size());
  if (title.ends_with("_total")) title.erase(title.rfind("_total"));
  std::ranges::replace(title, '_', ' ');
  return title;
}

// Gauges are those of the replica in charge: the others have 0, or the same.
Panel PanelOf(const MetricSpec& metric) {
  const bool labelled = !metric.label.empty();
  const std::string by = labelled ? "agent, " + metric.label : "agent";
  const std::string legend =
      labelled ? fmt::format("{{{{agent}}}} {{{{{}}}}}", metric.label) : "{{agent}}";
  Panel panel{.title = TitleOf(metric), .help = metric.help, .unit = "short", .queries = {}};
  if (metric.name.ends_with("_seconds")) panel.unit = "s";
  if (metric.name.ends_with("_bytes")) panel.unit = "bytes";
  switch (metric.kind) {
    case MetricSpec::Kind::kGauge:
      panel.queries = {{fmt::format("max by ({}) ({}$S)", by, metric.name), legend}};
      break;
    case MetricSpec::Kind::kCounter:
      panel.unit = "cpm";  // per minute
      panel.queries = {{"60 * " + Rate(metric.name, by), legend}};
      break;
    case MetricSpec::Kind::kHistogram:
      panel.queries = {{Quantile("0.5", metric.name, by), legend + " median"},
                       {Quantile("0.99", metric.name, by), legend + " 99 %"}};
      break;
  }
  return panel;
}

// Several agents can declare one metric.
std::vector<Panel> PanelsOfAgent(const AgentInfo& agent, std::set<std::string>* shown) {
  std::vector<Panel> panels;
  for (const MetricSpec& metric : agent.factory.metrics) {
    if (shown->insert(metric.name).second) panels.push_back(PanelOf(metric));
  }
  return panels;
}

Json SourceJson() {
  return {{"type", "prometheus"}, {"uid", "${datasource}"}};
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Places panels, three in a line, and numbers them.
class Grid {
 public:
  void Add(std::string_view title, const std::vector<Panel>& panels) {
    Json row = {{"id", ++id_},
                {"type", "row"},
                {"title", title},
                {"collapsed", !rows_.empty()},
                {"gridPos", {{"h", 1}, {"w", kWidth * kColumns}, {"x", 0}, {"y", y_++}}},
                {"panels", Json::array()}};
    std::vector<Json> placed;
    for (size_t i = 0; i < panels.size(); ++i) {
      placed.push_back(PanelJson(panels[i], i % kColumns * kWidth, y_ + i / kColumns * kHeight));
    }
    y_ += (panels.size() + kColumns - 1) / kColumns * kHeight;
    // A closed row holds its panels; those of an open one come after it.
    const bool is_open = rows_.empty();
    if (!is_open) row["panels"] = placed;
    rows_.push_back(std::move(row));
    if (is_open) rows_.insert(rows_.end(), placed.begin(), placed.end());
  }
  const std::vector<Json>& rows() const { return rows_; }

 private:
  static constexpr size_t kColumns = 3;
  static constexpr size_t kWidth = 8;  // of 24
  static constexpr size_t kHeight = 7;

  Json PanelJson(const Panel& panel, size_t x, size_t y) {
    Json json = {{"id", ++id_},
                 {"type", "timeseries"},
                 {"title", panel.title},
                 {"description", panel.help},
                 {"datasource", SourceJson()},
                 {"gridPos", {{"h", kHeight}, {"w", kWidth}, {"x", x}, {"y", y}}},
                 {"fieldConfig",
                  {{"defaults", {{"unit", panel.unit}, {"custom", {{"axisSoftMin", 0}}}}},
                   {"overrides", Json::array()}}},
                 {"targets", Json::array()}};
    char name = 'A';
    for (const Query& query : panel.queries) {
      const std::string expr =
          Replaced(Replaced(query.expr, "$S", R"({job=~"$job"})"), "$W", "$__rate_interval");
      json["targets"].push_back({{"refId", std::string(1, name++)},
                                 {"datasource", SourceJson()},
                                 {"expr", expr},
                                 {"legendFormat", query.legend}});
    }
    return json;
  }

  std::vector<Json> rows_;
  int id_ = 0;
  size_t y_ = 0;
};

Json Variables() {
  const std::string jobs = "label_values(outrigger_build_info, job)";
  Json source = {{"name", "datasource"},
                 {"label", "Prometheus"},
                 {"type", "datasource"},
                 {"query", "prometheus"}};
  Json job = {{"name", "job"},
              {"type", "query"},
              {"datasource", SourceJson()},
              {"query", {{"query", jobs}, {"refId", "jobs"}}},
              {"definition", jobs},
              {"refresh", 2},
              {"multi", true},
              {"includeAll", true},
              {"current", {{"text", "All"}, {"value", "$__all"}}}};
  return Json::array({source, job});
}

}  // namespace

std::string Dashboard(const std::vector<AgentInfo>& registry) {
  Grid grid;
  grid.Add("Calls of the scheduler", PanelsOfCalls());
  std::set<std::string> shown;
  const auto add = [&](std::string_view title, const auto& is_in, std::vector<Panel> more) {
    std::vector<Panel> panels;
    for (const AgentInfo& agent : registry) {
      if (!is_in(agent.name)) continue;
      for (Panel& panel : PanelsOfAgent(agent, &shown)) panels.push_back(std::move(panel));
    }
    panels.insert(panels.end(), more.begin(), more.end());
    if (!panels.empty()) grid.Add(title, panels);
  };
  for (const AgentRow& row : AgentRows()) {
    const auto is_in = [&row](const std::string& agent) {
      return std::ranges::find(row.agents, agent) != row.agents.end();
    };
    add(row.title, is_in, row.title == "Load" ? PanelsOfAnnotators() : std::vector<Panel>());
  }
  add("Other agents", [](const std::string& /*agent*/) { return true; }, {});  // not shown yet
  grid.Add("Process and API server", PanelsOfProcess());

  Json head = {{"uid", "outrigger"},
               {"title", "Outrigger"},
               {"tags", {"outrigger"}},
               {"schemaVersion", 38},
               {"editable", true},
               {"refresh", "30s"},
               {"timezone", "browser"},
               {"time", {{"from", "now-6h"}, {"to", "now"}}},
               {"templating", {{"list", Variables()}}}};
  head["description"] = "Written by scripts/update-docs from src/cli/monitoring; do not edit.";
  std::string json = head.dump();
  json.pop_back();
  json += ",\"panels\":[";
  std::string_view separator = "\n";
  // A panel a line, since each begins with its id.
  for (const Json& row : grid.rows()) {
    json += separator;
    json += Replaced(row.dump(), R"({"id":)", "\n{\"id\":").substr(1);
    separator = ",\n";
  }
  return json + "\n]}\n";
}

}  // namespace outrigger::cli
