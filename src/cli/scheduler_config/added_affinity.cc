#include "cli/scheduler_config/added_affinity.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/scheduler_config/unchecked.h"

namespace outrigger::cli {
namespace {

class TermReader {
 public:
  explicit TermReader(Place* refused) : refused_(refused) {}

  absl::StatusOr<NodeSelectorTerm> Term(const MapReader& from) {
    NodeSelectorTerm term;
    absl::Status status = Requirements(from, "matchExpressions", &term.match_expressions);
    if (status.ok()) status = Requirements(from, "matchFields", &term.match_fields);
    if (!status.ok()) return status;
    return term;
  }

  absl::Status Refuse(const Place& place, std::string_view why) {
    if (refused_ != nullptr) *refused_ = place;
    return absl::InvalidArgumentError(std::string(why));
  }

 private:
  absl::Status Requirements(const MapReader& term, const char* field,
                            std::vector<SelectorRequirement>* to) {
    const bool of_fields = std::string_view(field) == "matchFields";
    for (const MapReader& from : term.List(field)) {
      SelectorRequirement requirement;
      requirement.key = from.Text("key").value;
      absl::Status status = ParseSelectorOperator(from.Text("operator").value, &requirement.op);
      for (const Field<std::string>& value : from.Texts("values")) {
        requirement.values.push_back(value.value);
      }
      if (status.ok()) status = of_fields ? OfField(requirement) : requirement.Validate();
      if (!status.ok()) return Refuse(from.place(), std::string(status.message()));
      to->push_back(std::move(requirement));
    }
    return absl::OkStatus();
  }

  static absl::Status OfField(const SelectorRequirement& requirement) {
    const bool is_known =
        requirement.key == "metadata.name" && requirement.values.size() == 1 &&
        (requirement.op == SelectorOperator::kIn || requirement.op == SelectorOperator::kNotIn);
    return is_known ? absl::OkStatus()
                    : absl::InvalidArgumentError(
                          "a field is metadata.name, with In or NotIn and one value");
  }

  Place* const refused_;
};

}  // namespace

absl::StatusOr<std::optional<NodeSelector>> ReadAddedAffinity(const MapReader& profile,
                                                              Place* refused) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const MapReader added = ArgumentsOf(profile, "NodeAffinity").Map("addedAffinity");
  TermReader reader(refused);
  for (const MapReader& from : added.List(kPreferred)) {
    if (const auto term = reader.Term(from.Map("preference")); !term.ok()) return term.status();
  }
  if (!added.Has(kRequired)) return std::nullopt;
  const MapReader required = added.Map(kRequired);
  NodeSelector selector;
  for (const MapReader& from : required.List("nodeSelectorTerms")) {
    auto term = reader.Term(from);
    if (!term.ok()) return term.status();
    selector.terms.push_back(*std::move(term));
  }
  const bool matches_none =
      std::all_of(selector.terms.begin(), selector.terms.end(), [](const NodeSelectorTerm& term) {
        return term.match_expressions.empty() && term.match_fields.empty();
      });
  if (!matches_none) return selector;
  return reader.Refuse(
      required.place(),
      "no node matches: needs nodeSelectorTerms with matchExpressions or matchFields");
}

}  // namespace outrigger::cli
