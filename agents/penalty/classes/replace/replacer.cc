#include "fmt/format.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/base/text.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/eligibility.h"
#include "penalty/classes/intent.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/policy.h"
#include "penalty/classes/replace/passage.h"
#include "penalty/classes/replace/slots.h"
#include "penalty/classes/replacement.h"

namespace outrigger::penalty {

/// Brings the class of an intent that was edited into order, without obeying it: what it is, its
/// manifest says, if that is intact. A class that is absent is made with its base; one that is
/// there is left as it is, with the base that it shows. Then the account is to be written, and the
/// ConfigMap to be removed. Errors: those of calls, and InvalidArgument if the manifest cannot be
/// used, or DELETE may arrive yet: the ConfigMap stays.
absl::StatusOr<Replacement> RepairClassOf(PriorityClassAccess* classes, const ConfigMap& map,
                                          const CallLimits& limits);

namespace {

std::string WhatIsWrong(const IntentRead& read, const ConfigMap& map) {
  return read.findings.empty() ? fmt::format("ConfigMap {}: was edited", map.name)
                               : FindingText(read.findings.front());
}

absl::Status NotRepaired(const std::string& wrong, std::string_view remedy) {
  return absl::InvalidArgumentError(fmt::format("{}; {}", wrong, remedy));
}

}  // namespace

absl::StatusOr<Replacement> RepairClassOf(PriorityClassAccess* classes, const ConfigMap& map,
                                          const CallLimits& limits) {
  const IntentRead read = ReadIntent(map);
  const std::string wrong = WhatIsWrong(read, map);
  const auto manifest = classes->ParsePriorityClass(read.intent.manifest);
  if (!read.is_manifest_intact || !manifest.ok() || RefusalOf(*manifest, Purpose::kRestore)) {
    return NotRepaired(
        wrong, "its class is unknown: if a class is missing, create it; then delete the ConfigMap");
  }
  absl::StatusOr<PriorityClass> there = classes->ReadPriorityClass(manifest->name, limits);
  const bool was_absent = absl::IsNotFound(there.status());
  const int64_t base = BaseOf(*manifest).base;
  if (was_absent) {
    there = classes->CreatePriorityClass({read.intent.manifest, static_cast<int32_t>(base),
                                          AnnotationsAt(manifest->annotations, base, base)},
                                         limits);
  }
  if (!there.ok()) return there.status();
  if (there->uid == manifest->uid && there->resource_version == manifest->resource_version) {
    return NotRepaired(wrong, "its class exists; if no agent runs, delete the ConfigMap");
  }
  return Replacement{
      .outcome = was_absent ? Replacement::Outcome::kReplaced : Replacement::Outcome::kAdopted,
      .class_name = manifest->name,
      .base = BaseOf(*there).base,
      .before = manifest->value,
      .value = there->value,
      .cause = "repair",
      .message = fmt::format("{}; class {} {} with value {}", wrong, manifest->name,
                             was_absent ? "was absent and was created" : "is there", there->value)};
}

namespace {

using Outcome = Replacement::Outcome;

constexpr int kMostRounds = 5;  // until a class that is edited all the time is left alone

absl::Status Validate(const ReplaceRequest& request) {
  if (request.class_name.empty()) return absl::InvalidArgumentError("the class has no name");
  if (request.base > kHighestValue || request.target > request.base ||
      request.target < kLowestValue) {
    return absl::InvalidArgumentError(fmt::format(
        "class {}: value {} of base {} is not accepted; expected {} <= value <= base <= {}",
        request.class_name, request.target, request.base, kLowestValue, kHighestValue));
  }
  if (request.epoch < 1 || request.now < 0 || request.now > kEndOfTime) {
    return absl::InvalidArgumentError(fmt::format("class {}: epoch {} or time {} is not accepted",
                                                  request.class_name, request.epoch, request.now));
  }
  return absl::OkStatus();
}

Replacement Of(const ReplaceRequest& request, Outcome outcome, int64_t value = 0) {
  return {.outcome = outcome,
          .class_name = request.class_name,
          .base = request.base,
          .before = value,
          .value = value,
          .cause = request.cause,
          .epoch = request.epoch,
          .begun = request.now};
}

Replacement RefusedFor(const ReplaceRequest& request, int64_t value, const Refusal& refusal) {
  Replacement result = Of(request, Outcome::kRefused, value);
  result.reason = refusal.reason;
  result.message = refusal.message;
  return result;
}

// Whether the class is the one that the change is for, by its base.
bool IsMeant(const PriorityClass& there, const ReplaceRequest& request) {
  const BaseValue base = BaseOf(there);
  if (base.base == request.base) return true;
  const bool has_base = there.annotations.Contains(kBaseValueAnnotation) && base.problem.empty();
  return !has_base && request.written && there.value == *request.written;
}

Intent IntentOf(const ReplaceRequest& request, const PriorityClass& there) {
  return {.class_name = request.class_name,
          .uid = there.uid,
          .resource_version = there.resource_version,
          .base = request.base,
          .target = request.target,
          .before = there.value,
          .epoch = request.epoch,
          .begun = request.now,
          .cause = request.cause,
          .step = IntentStep::kBegun,
          .manifest = there.manifest};
}

}  // namespace

class Replacer::Impl {
 public:
  Impl(PriorityClassAccess* classes, ConfigMapAccess* maps, AccountFn account, Options options)
      : classes_(classes),
        options_(std::move(options)),
        account_(std::move(account)),
        slots_(classes, maps, options_.namespace_, options_.timeout) {}

  absl::StatusOr<Replacement> Replace(const ReplaceRequest& request, Purpose purpose,
                                      const std::stop_token& term);
  std::vector<Recovered> Recover(const std::stop_token& term);
  bool HasOpenIntents() const { return !slots_.AllFree(); }

 private:
  Passage PassageOf(int slot, const std::stop_token& term) {
    return {{classes_, &slots_, &account_, &options_}, slot, term};
  }
  absl::StatusOr<Replacement> Repair(int slot, const std::stop_token& term);
  absl::StatusOr<std::optional<Replacement>> EndOpen(const ReplaceRequest& request,
                                                     const std::stop_token& term);
  absl::StatusOr<std::optional<Replacement>> Check(const ReplaceRequest& request, Purpose purpose,
                                                   const PriorityClass& there,
                                                   const std::stop_token& term);
  absl::StatusOr<Replacement> Round(const ReplaceRequest& request, Purpose purpose,
                                    const std::stop_token& term);

  PriorityClassAccess* const classes_;
  const Options options_;
  const AccountFn account_;
  IntentSlots slots_;
};

// Ends an intent that the class still has; nothing: the change can go on.
absl::StatusOr<std::optional<Replacement>> Replacer::Impl::EndOpen(const ReplaceRequest& request,
                                                                   const std::stop_token& term) {
  if (absl::Status read = slots_.ReadUnknown(term); !read.ok()) return read;
  while (const std::optional<int> slot = slots_.FindOpen(request.class_name)) {
    absl::StatusOr<Replacement> ended = PassageOf(*slot, term).Resume();
    if (!ended.ok()) return ended.status();
    if (ended->outcome != Outcome::kReplaced && ended->outcome != Outcome::kDropped) {
      return *std::move(ended);
    }
    // A removal that failed may have been done: else the class waits for it.
    if (absl::Status read = slots_.ReadUnknown(term); !read.ok()) return read;
    if (!ended->leftover.ok() && slots_.FindOpen(request.class_name)) return ended->leftover;
  }
  return std::optional<Replacement>();
}

// What speaks against replacing the class as it was read; nothing: go on.
absl::StatusOr<std::optional<Replacement>> Replacer::Impl::Check(const ReplaceRequest& request,
                                                                 Purpose purpose,
                                                                 const PriorityClass& there,
                                                                 const std::stop_token& term) {
  if (const auto refusal = RefusalOf(there, purpose)) {
    return RefusedFor(request, there.value, *refusal);
  }
  if (!IsMeant(there, request)) {
    Replacement adopted = Of(request, Outcome::kAdopted, there.value);
    adopted.base = BaseOf(there).base;
    adopted.message = fmt::format("the class has value {} and base {} from another writer",
                                  there.value, adopted.base);
    return adopted;
  }
  if (there.value == request.target &&
      there.annotations == AnnotationsAt(there.annotations, request.base, request.target)) {
    return Of(request, Outcome::kUnchanged, there.value);
  }
  const auto owners = OwnerRefusal(classes_, there, {options_.timeout, term});
  if (!owners.ok()) return owners.status();
  if (*owners) return RefusedFor(request, there.value, **owners);
  return std::optional<Replacement>();
}

// kDropped, or Aborted: the class or the journal has changed meanwhile, and a further round may
// do.
absl::StatusOr<Replacement> Replacer::Impl::Round(const ReplaceRequest& request, Purpose purpose,
                                                  const std::stop_token& term) {
  absl::StatusOr<std::optional<Replacement>> ended = EndOpen(request, term);
  if (!ended.ok()) return ended.status();
  if (*ended) return **std::move(ended);
  const auto there = classes_->ReadPriorityClass(request.class_name, {options_.timeout, term});
  if (absl::IsNotFound(there.status())) return Of(request, Outcome::kAbsent);
  if (!there.ok()) return there.status();
  absl::StatusOr<std::optional<Replacement>> checked = Check(request, purpose, *there, term);
  if (!checked.ok()) return checked.status();
  if (*checked) return **std::move(checked);
  const Intent intent = IntentOf(request, *there);
  if (const absl::Status fits = WriteIntent(intent, 0).status(); !fits.ok()) {
    return RefusedFor(request, there->value, {"too-large", std::string(fits.message())});
  }
  const absl::StatusOr<int> slot = slots_.Add(intent, term);
  if (!slot.ok()) return slot.status();
  return PassageOf(*slot, term).Begin();
}

absl::StatusOr<Replacement> Replacer::Impl::Replace(const ReplaceRequest& request, Purpose purpose,
                                                    const std::stop_token& term) {
  if (absl::Status valid = Validate(request); !valid.ok()) return valid;
  for (int round = 1;; ++round) {
    absl::StatusOr<Replacement> result = Round(request, purpose, term);
    const bool again =
        result.ok() ? result->outcome == Outcome::kDropped : absl::IsAborted(result.status());
    if (!again || (!result.ok() && round == kMostRounds)) return result;
    if (round == kMostRounds) {
      return absl::AbortedError(
          fmt::format("class {} was edited each time in {} attempts to replace it",
                      request.class_name, kMostRounds));
    }
  }
}

absl::StatusOr<Replacement> Replacer::Impl::Repair(int slot, const std::stop_token& term) {
  absl::StatusOr<Replacement> repaired =
      RepairClassOf(classes_, slots_.map(slot), {options_.timeout, term});
  if (!repaired.ok()) return repaired;
  if (absl::Status written = account_(*repaired); !written.ok()) return written;
  repaired->leftover = slots_.Remove(slot, term);
  return repaired;
}

std::vector<Replacer::Recovered> Replacer::Impl::Recover(const std::stop_token& term) {
  std::vector<Recovered> all;
  for (int slot = 0; slot < kIntentMaps; ++slot) {
    absl::Status read = slots_.Read(slot, term);
    if (slots_.state(slot) == IntentSlots::State::kBroken) {
      all.push_back({slots_.MapName(slot), Repair(slot, term)});
    } else if (!read.ok()) {
      all.push_back({slots_.MapName(slot), read});
    } else if (slots_.state(slot) == IntentSlots::State::kOpen) {
      all.push_back({slots_.MapName(slot), PassageOf(slot, term).Resume()});
    }
  }
  return all;
}

Replacer::Replacer(PriorityClassAccess* classes, ConfigMapAccess* maps, AccountFn account,
                   Options options)
    : impl_(std::make_unique<Impl>(classes, maps, std::move(account), std::move(options))) {}

Replacer::~Replacer() = default;

absl::StatusOr<Replacement> Replacer::Replace(const ReplaceRequest& request,
                                              const std::stop_token& term) {
  return impl_->Replace(request, Purpose::kPenalise, term);
}

absl::StatusOr<Replacement> Replacer::Restore(const ReplaceRequest& request,
                                              const std::stop_token& term) {
  ReplaceRequest back = request;
  back.target = request.base;
  return impl_->Replace(back, Purpose::kRestore, term);
}

std::vector<Replacer::Recovered> Replacer::Recover(const std::stop_token& term) {
  return impl_->Recover(term);
}

bool Replacer::HasOpenIntents() const {
  return impl_->HasOpenIntents();
}

}  // namespace outrigger::penalty
