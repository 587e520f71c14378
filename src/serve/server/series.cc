#include "serve/server/series.h"

#include <utility>

namespace outrigger::server {
namespace {

using engine::ErrorKind;
using engine::Verb;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

constexpr std::array kErrorKinds{ErrorKind::kBadRequest, ErrorKind::kUnanswerable,
                                 ErrorKind::kAgent, ErrorKind::kInternal, ErrorKind::kAbandoned};
constexpr size_t kVerbs = 4;
constexpr size_t kMaxReasons = 64;
constexpr size_t kMaxFields = 64;

const Histogram::BucketBoundaries& Seconds() {
  static const Histogram::BucketBoundaries bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                  0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                                  1,      2.5,     5,      10};
  return bounds;
}

Family<Counter>& AddCounter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Labels LabelsOf(const std::string& agent, Verb verb) {
  return {{"agent", agent}, {"verb", std::string(engine::VerbName(verb))}};
}

}  // namespace

Families::Families(prometheus::Registry& registry)
    : requests(AddCounter(registry, "outrigger_extender_requests_total",
                          "Calls of the scheduler that were answered.")),
      errors(AddCounter(registry, "outrigger_extender_errors_total",
                        "Calls that were not answered normally.")),
      seconds(prometheus::BuildHistogram()
                  .Name("outrigger_extender_request_duration_seconds")
                  .Help("Time from a complete request to its answer.")
                  .Register(registry)),
      request_bytes(AddCounter(registry, "outrigger_extender_request_bytes_total",
                               "Bytes of request bodies.")),
      response_bytes(AddCounter(registry, "outrigger_extender_response_bytes_total",
                                "Bytes of answers' bodies.")),
      nodes(AddCounter(registry, "outrigger_extender_nodes_total", "Nodes offered by calls.")),
      rejected(AddCounter(registry, "outrigger_nodes_rejected_total",
                          "Nodes rejected, by class of reason.")),
      malformed(AddCounter(registry, "outrigger_malformed_values_total",
                           "Values of pods and nodes that could not be used.")),
      unknown(AddCounter(registry, "outrigger_unknown_nodes_total",
                         "Node names in calls that the node source does not know.")) {}

CallSeries::CallSeries(const Families& families, const std::string& agent, Verb verb)
    : requests_(families.requests.Add(LabelsOf(agent, verb))),
      seconds_(families.seconds.Add(LabelsOf(agent, verb), Seconds())),
      request_bytes_(families.request_bytes.Add(LabelsOf(agent, verb))),
      response_bytes_(families.response_bytes.Add(LabelsOf(agent, verb))),
      nodes_(families.nodes.Add(LabelsOf(agent, verb))) {
  for (const ErrorKind kind : kErrorKinds) {
    prometheus::Labels labels = LabelsOf(agent, verb);
    labels.emplace("kind", engine::ErrorKindName(kind));
    errors_.at(static_cast<size_t>(kind)) = &families.errors.Add(labels);
  }
}

void CallSeries::Count(const engine::CallRecord& call) {
  requests_.Increment();
  seconds_.Observe(call.seconds);
  request_bytes_.Increment(static_cast<double>(call.request_bytes));
  response_bytes_.Increment(static_cast<double>(call.response_bytes));
  nodes_.Increment(static_cast<double>(call.nodes));
  if (call.error != ErrorKind::kNone) errors_.at(static_cast<size_t>(call.error))->Increment();
}

AgentSeries::AgentSeries(Families& families, std::string agent)
    : families_(families),
      agent_(std::move(agent)),
      calls_(kVerbs),
      reasons_(kMaxReasons),
      fields_(kMaxFields) {}

CallSeries& AgentSeries::Call(Verb verb) {
  return calls_.Get(engine::VerbName(verb), [&](std::string_view) {
    owned_.push_back(std::make_unique<CallSeries>(families_, agent_, verb));
    return owned_.back().get();
  });
}

Counter& AgentSeries::Rejected(std::string_view reason) {
  return reasons_.Get(reason, [&](std::string_view label) {
    return &families_.rejected.Add({{"agent", agent_}, {"reason", std::string(label)}});
  });
}

Counter& AgentSeries::Malformed(std::string_view field) {
  return fields_.Get(field, [&](std::string_view label) {
    return &families_.malformed.Add({{"agent", agent_}, {"field", std::string(label)}});
  });
}

Counter& AgentSeries::Unknown() {
  std::call_once(unknown_once_, [this] { unknown_ = &families_.unknown.Add({{"agent", agent_}}); });
  return *unknown_;
}

}  // namespace outrigger::server
