#include "reporter.h"

#include "nlohmann/json.hpp"

namespace outrigger::kube_actor {
namespace {

using Json = nlohmann::json;

kube::Event EventOf(const Json& command) {
  kube::Event event;
  event.regarding.api_version = command.value("apiVersion", "v1");
  event.regarding.kind = command.value("kind", "Pod");
  event.regarding.namespace_ = command.value("namespace", "");
  event.regarding.name = command.value("name", "");
  event.regarding.uid = command.value("uid", "");
  event.warning = command.value("warning", false);
  event.reason = command.value("reason", "");
  event.action = command.value("action", "");
  event.note = command.value("note", "");
  return event;
}

}  // namespace

Reporter::Reporter(kube::Api* api, const kube::EventOptions& options)
    : recorder_(kube::EventRecorder::Create(api, options)) {}

std::string Reporter::Record(const std::string& command) {
  try {
    const Json json = Json::parse(command);
    for (int left = json.value("count", 1); left > 0; --left) recorder_->Record(EventOf(json));
  } catch (const Json::exception& error) {
    return Json{{"error", error.what()}}.dump();
  }
  recorder_->Flush();
  const kube::EventStats stats = recorder_->stats();
  return Json{{"written", stats.written}, {"dropped", stats.dropped}}.dump();
}

}  // namespace outrigger::kube_actor
