#include "annotate/usage_source.h"

#include <algorithm>
#include <utility>

#include "annotate/measurement.h"
#include "annotate/original_usage.h"
#include "annotate/usage_values.h"
#include "fmt/format.h"
#include "outrigger/k8s/node.h"

namespace outrigger::annotate {
namespace {

std::vector<std::string> KeysOf(const UsageOptions& options) {
  std::vector<std::string> keys = UsageKeys(options.further);
  // The others are removed then.
  if (options.original_arithmetic) {
    for (std::string& key : OriginalUsageKeys()) keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

usage::NodeQuestion QuestionOf(const NodeView& view) {
  const Node& node = view.node();
  usage::NodeQuestion question;
  question.name = node.name;
  for (const NodeAddress& address : node.addresses) {
    if (address.type == "InternalIP") question.addresses.push_back(address.address);
  }
  question.cpu = static_cast<double>(node.allocatable.Get(kCpu).MilliValue());
  question.memory = node.allocatable.Get(kMemory).ToDouble();
  return question;
}

}  // namespace

UsageSource::UsageSource(std::unique_ptr<usage::Source> source, UsageOptions options,
                         std::function<void(const std::string& line)> warn)
    : source_(std::move(source)),
      options_(std::move(options)),
      warn_(std::move(warn)),
      keys_(KeysOf(options_)) {}

Needs UsageSource::Reads() const {
  Needs needs = Needs().NodeAllocatable().NodeAddresses();
  if (options_.original_arithmetic) needs.ClusterPods().PodResources();
  return needs;
}

absl::StatusOr<std::vector<NodeValues>> UsageSource::Compute(
    std::shared_ptr<const ClusterSnapshot> snapshot, Scope /*scope*/, std::stop_token stop) {
  std::vector<usage::NodeQuestion> questions;
  questions.reserve(snapshot->NodeCount());
  std::vector<OriginalMemoryTexts> texts;
  snapshot->ForEachNode([&](const NodeView& view) {
    questions.push_back(QuestionOf(view));
    if (!options_.original_arithmetic) return;
    texts.push_back(OriginalMemoryOf(view));
    questions.back().memory = static_cast<double>(texts.back().allocatable);
    questions.back().requested_memory = static_cast<double>(texts.back().requested);
  });
  const auto reading = source_->Read(questions, std::move(stop));
  if (!reading.ok()) return reading.status();
  if (reading->nodes.size() != questions.size()) {
    return absl::InternalError(fmt::format("{} answered for {} nodes of {}", source_->Name(),
                                           reading->nodes.size(), questions.size()));
  }
  WarnOf(reading->notes);
  std::vector<NodeValues> values;
  values.reserve(questions.size());
  const Measurement measured{
      .end = reading->end_ms / 1000,
      .window = std::chrono::duration_cast<std::chrono::seconds>(reading->window).count()};
  for (size_t i = 0; i < questions.size(); ++i) {
    const usage::NodeReading& node = reading->nodes[i];
    values.push_back(options_.original_arithmetic
                         ? OriginalUsageValues(node, texts[i], options_.further)
                         : UsageValues(node, options_.further, measured));
    values.back().node = std::move(questions[i].name);
  }
  return values;
}

void UsageSource::WarnOf(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (warn_ && std::find(notes_.begin(), notes_.end(), note) == notes_.end()) warn_(note);
  }
  notes_ = notes;
}

}  // namespace outrigger::annotate
