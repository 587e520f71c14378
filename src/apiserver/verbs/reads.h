#pragma once

#include <optional>

#include "apiserver/store/store.h"
#include "apiserver/verbs/call.h"
#include "apiserver/verbs/watches.h"
#include "outrigger/base/clock.h"

// get, list and watch.

namespace outrigger::apiserver {

/// Thread-safe.
class Reads {
 public:
  /// All live longer.
  Reads(const Store* store, Watches* watches, Clock clock)
      : store_(store), watches_(watches), clock_(std::move(clock)) {}

  std::optional<Failure> Get(const Call& call, Reply* reply) const;
  /// List or watch, as the query says.
  std::optional<Failure> List(const Call& call, Reply* reply) const;
  /// An object as the answer of a verb that has written it.
  std::string ObjectText(const Call& call, const Stored& object) const;

 private:
  std::optional<Failure> ReadVersion(const Call& call, Listing* listing) const;
  std::optional<Failure> ListPage(const Call& call, const Selection& selection, Reply* reply) const;
  std::optional<Failure> Watch(const Call& call, Selection selection, Reply* reply) const;

  const Store* const store_;
  Watches* const watches_;
  const Clock clock_;
};

/// The selectors of a query, for a list, a watch or a deletion of many.
std::optional<Failure> ReadSelection(const Call& call, Selection* selection);

}  // namespace outrigger::apiserver
