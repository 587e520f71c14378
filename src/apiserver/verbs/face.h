#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/select/selector.h"
#include "apiserver/verbs/call.h"

// Which objects are shown, and how: their text in a version of the API, lists, tables.

namespace outrigger::apiserver {

/// core/v1 and events.k8s.io/v1 Events are one object with two faces, kept as core/v1 has it.
inline constexpr std::string_view kEventsGroup = "events.k8s.io";
Json ToEventsFace(Json core);
Json FromEventsFace(Json event);

/// Which objects of a resource a list, a watch or a deletion of many is about.
struct Selection {
  std::string namespace_;
  Selector selector;

  static std::optional<Failure> Read(const Call& call, Selection* selection);
  bool Has(const Stored& object) const;
};

/// How objects are shown: as they are, or as rows of a table.
struct Face {
  ServedPtr served;
  bool as_table = false;
  bool whole_objects = false;  // in rows; else their metadata

  static Face Of(const Call& call);
  /// The object as the resource's version of the API has it.
  std::string TextOf(const Stored& object) const;
  /// One object, as the answer of a verb.
  std::string Show(const StoredPtr& object, std::chrono::system_clock::time_point now) const;
  std::string ListOf(const std::vector<StoredPtr>& objects, const Json& metadata) const;
  std::string TableOf(const std::vector<StoredPtr>& objects, const Json& metadata,
                      std::chrono::system_clock::time_point now) const;

 private:
  void Append(const Stored& object, std::string_view head, std::string* text) const;
};

}  // namespace outrigger::apiserver
