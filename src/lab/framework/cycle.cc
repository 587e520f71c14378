#include "lab/framework/cycle.h"

#include <utility>

namespace outrigger::lab {
namespace {

std::string AnswerOf(const PluginStatus& status) {
  switch (status.code) {
    case PluginStatus::Code::kSuccess:
      return "ok";
    case PluginStatus::Code::kSkip:
      return "skipped";
    default:
      return status.reason;
  }
}

bool IsGood(const PluginStatus& status) {
  return status.ok() || status.is_skip() || status.is_wait();
}

}  // namespace

void Scheduler::Cycle::Note(std::string_view stage, const Plugin& plugin, std::string_view on_node,
                            const PluginStatus& status) {
  if (trace_rows) Note(stage, plugin.Name(), on_node, AnswerOf(status), IsGood(status));
}

void Scheduler::Cycle::Note(std::string_view stage, std::string_view plugin,
                            std::string_view on_node, std::string answer, bool good) {
  if (!trace_rows) return;
  trace.rows.push_back({stage, std::string(plugin), std::string(on_node), std::move(answer), good});
}

}  // namespace outrigger::lab
