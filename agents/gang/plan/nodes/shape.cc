#include "gang/plan/nodes/shape.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::plan {
namespace {

// Writes values so that different ones never read alike: each text with its length in front.
class Writer {
 public:
  explicit Writer(std::string* to) : to_(to) {}

  void Text(std::string_view text) {
    Number(static_cast<int64_t>(text.size()));
    to_->append(text);
  }
  void Number(int64_t number) {
    absl::StrAppend(to_, number);
    to_->push_back(':');
  }
  void Requirement(const SelectorRequirement& requirement) {
    Text(requirement.key);
    Number(static_cast<int64_t>(requirement.op));
    Number(static_cast<int64_t>(requirement.values.size()));
    for (const std::string& value : requirement.values) Text(value);
  }
  void Selector(const NodeSelector& selector) {
    Number(static_cast<int64_t>(selector.terms.size()));
    for (const NodeSelectorTerm& term : selector.terms) {
      Number(static_cast<int64_t>(term.match_expressions.size()));
      for (const auto& expression : term.match_expressions) Requirement(expression);
      Number(static_cast<int64_t>(term.match_fields.size()));
      for (const auto& field : term.match_fields) Requirement(field);
    }
  }
  void Tolerate(const Toleration& toleration) {
    Text(toleration.key);
    Text(toleration.value);
    Number(toleration.exists ? 1 : 0);
    Number(toleration.effect.has_value() ? static_cast<int64_t>(*toleration.effect) : -1);
  }

 private:
  std::string* to_;
};

void WriteRequests(const Pod& pod, Writer* writer) {
  for (const auto& [name, quantity] : PodRequests(pod)) {
    const int64_t value = Columns::ValueOf(name, quantity);
    if (value <= 0) continue;
    writer->Text(name);
    writer->Number(value);
  }
}

}  // namespace

size_t Columns::Of(std::string_view name, bool is_offered) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
  if (!is_offered && absent_ >= kMostAbsent && name != kAbsent) {
    sharing_.emplace(name);
    return Of(kAbsent, is_offered);
  }
  absent_ += is_offered ? 0 : 1;
  names_.emplace_back(name);
  return names_.size() - 1;
}

void Columns::Fill(const ResourceList& list, int64_t* row) const {
  for (size_t column = 0; column < names_.size(); ++column) {
    const Quantity* quantity = list.Find(names_[column]);
    row[column] = quantity == nullptr ? 0 : ValueOf(names_[column], *quantity);
  }
}

int64_t Columns::ValueOf(std::string_view name, const Quantity& quantity) {
  return name == kCpu ? quantity.MilliValue() : quantity.Value();
}

void Shape::JudgeBy(const ProfileChecks& profile) {
  ignores_taints = profile.Has(FilterPlugin::kTaintToleration);
  ignores_cordons = profile.Has(FilterPlugin::kNodeUnschedulable);
  ignores_node_affinity = profile.Has(FilterPlugin::kNodeAffinity);
  ignores_anti_affinity = profile.Has(FilterPlugin::kInterPodAffinity);
  if (!ignores_node_affinity) added = profile.added_affinity;
}

bool MayTake(const Shape& shape, const Node& node) {
  const Pod& pod = *shape.example;
  if (node.unschedulable && !shape.ignores_cordons && !ToleratesCordon(pod.tolerations)) {
    return false;
  }
  if (!shape.ignores_taints && FindUntoleratedTaint(node.taints, pod.tolerations) != nullptr) {
    return false;
  }
  if (!shape.ignores_node_affinity && !MatchesNodeSelectorAndAffinity(pod, node)) return false;
  if (shape.added && !shape.added->Matches(node)) return false;
  return std::all_of(shape.pinned.begin(), shape.pinned.end(),
                     [&](const NodeSelector& selector) { return selector.Matches(node); });
}

std::string SignatureOf(const Pod& pod, const std::vector<NodeSelector>& pinned) {
  std::string text;
  Writer writer(&text);
  WriteRequests(pod, &writer);
  text.push_back('|');
  for (const auto& [key, value] : pod.node_selector) {
    writer.Text(key);
    writer.Text(value);
  }
  text.push_back('|');
  if (pod.affinity.required_node.has_value()) writer.Selector(*pod.affinity.required_node);
  text.push_back('|');
  for (const Toleration& toleration : pod.tolerations) writer.Tolerate(toleration);
  text.push_back('|');
  for (const NodeSelector& selector : pinned) writer.Selector(selector);
  return text;
}

}  // namespace outrigger::plan
