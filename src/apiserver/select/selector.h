#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "outrigger/k8s/selector.h"

// Which objects of a list a client wants: the parameters labelSelector and fieldSelector.

namespace outrigger::apiserver {

/// The value of a field as field selectors compare it ("spec.nodeName"): "" where it is absent, but
/// "false" and "0" of fields that are a bool or a number in Go. Of events `object` has the form of
/// core/v1. Pure.
std::string FieldOf(const Json& object, std::string_view path);

/// Values of all fields, but name and namespace, by which objects of a kind can be selected. Of
/// events `object` has the form of core/v1. Pure.
StringMap SelectableFields(std::string_view group, std::string_view kind,
                           const std::vector<std::string>* more_fields, const Json& object);

/// Immutable after Parse(), so thread-safe.
class Selector {
 public:
  /// Matches everything.
  Selector() = default;

  /// Reads both parameters for a list of `kind`; 400 if one is malformed, has a backslash, or names
  /// a field that the kind does not offer. `more_fields` are the selectableFields of a custom
  /// resource, and nullptr for what is built in.
  static std::optional<Failure> Parse(std::string_view labels, std::string_view fields,
                                      std::string_view group, std::string_view kind,
                                      const std::vector<std::string>* more_fields,
                                      Selector* selector);

  bool MatchesLabels(const StringMap& labels) const { return labels_.Matches(labels); }
  /// `fields` as SelectableFields() has them, name and namespace beside them.
  bool MatchesFields(std::string_view name, std::string_view namespace_,
                     const StringMap& fields) const;

 private:
  struct Term {
    std::string path;
    bool equal;
    std::string value;
  };

  static std::optional<Failure> ReadTerm(const std::string& text, Term* term);

  LabelSelector labels_;
  std::vector<Term> terms_;
};

}  // namespace outrigger::apiserver
