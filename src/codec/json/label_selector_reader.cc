#include "codec/json/label_selector_reader.h"

#include <string>
#include <string_view>

namespace outrigger::json {

absl::Status Read(Value value, const Path& at, SelectorRequirement* requirement) {
  return ReadObject(value, at, Field{"key", &requirement->key},
                    Field{"operator",
                          [requirement](Value op, const Path& place) {
                            std::string_view text;
                            absl::Status status = Read(op, place, &text);
                            if (!status.ok()) return status;
                            status = ParseSelectorOperator(Cut(text), &requirement->op);
                            return status.ok() ? status
                                               : Invalid(place, std::string(status.message()));
                          }},
                    Field{"values", &requirement->values});
}

absl::Status Read(Value value, const Path& at, LabelSelector* selector) {
  return ReadObject(value, at, Field{"matchLabels", &selector->match_labels},
                    Field{"matchExpressions", &selector->match_expressions});
}

}  // namespace outrigger::json
