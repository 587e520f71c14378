#include "fmt/format.h"

#include <algorithm>
#include <utility>

#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "penalty/classes/journal/record.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {
namespace {

using Outcome = Replacement::Outcome;

constexpr Millis kFirstQuestion = 100;  // between two questions whether something holds
constexpr Millis kLongestQuestion = 10'000;
constexpr Millis kAskAgain = 60'000;  // a policy may be removed at any time
// A key that is no name of a class: it changes where nothing else does, and so does the version.
constexpr std::string_view kFence = "_fence";

bool SaysNo(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status);
}

bool IsWanted(const PriorityClass& there, const ReplaceRequest& request, std::string_view policy) {
  return StandsFor(there) == request.class_name && there.value == request.target &&
         there.preemption_policy == policy && !there.global_default && !there.is_deleted;
}

std::string ManifestOf(const ReplaceRequest& request, const std::string& stand_in,
                       std::string_view policy) {
  return fmt::format(
      R"({{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{{"name":"{}",)"
      R"("labels":{{"app.kubernetes.io/component":"penalty",)"
      R"("app.kubernetes.io/managed-by":"outrigger"}}}},"preemptionPolicy":"{}",)"
      R"("description":"new pods of class {} get this one"}})",
      stand_in, policy, request.class_name);
}

Replacement MappedOf(const ReplaceRequest& request, Outcome outcome) {
  return {.outcome = outcome,
          .class_name = request.class_name,
          .base = request.base,
          .before = request.written.value_or(request.base),
          .value = request.target,
          .cause = request.cause,
          .epoch = request.epoch,
          .begun = request.now};
}

Replacement RefusedFor(const ReplaceRequest& request, std::string_view reason,
                       std::string message) {
  Replacement refused = MappedOf(request, Outcome::kRefused);
  refused.value = refused.before;
  refused.reason = reason;
  refused.message = std::move(message);
  return refused;
}

}  // namespace

CallLimits Mapper::Limits(const std::stop_token& term) const {
  return {.timeout = std::chrono::seconds(10), .stop = term};
}

// ---- The map ----

absl::Status Mapper::Begin(bool makes, const std::stop_token& term) {
  makes_ = makes;
  is_known_ = false;
  ways_.clear();
  checks_.clear();
  made_.clear();
  seen_.clear();
  own_.clear();
  idle_.clear();
  doomed_.clear();
  return Refresh(term);
}

absl::Status Mapper::Refresh(const std::stop_token& term) {
  if (is_known_) return absl::OkStatus();
  auto read =
      access_->ReadConfigMap(namespace_, JournalMapName({JournalMapKind::kMapping}), Limits(term));
  if (!read.ok() && !absl::IsNotFound(read.status())) return read.status();
  ConfigMap next;
  if (read.ok()) next = *std::move(read);
  if (next.name.empty() && !makes_) {
    map_ = {};
    entries_.clear();
    is_known_ = true;
    return absl::OkStatus();
  }
  const std::string now = next.data[std::string(kFence)];
  next.data[std::string(kFence)] = now == "a" ? "b" : "a";
  return Put(std::move(next), term);
}

absl::Status Mapper::Put(ConfigMap next, const std::stop_token& term) {
  next.namespace_ = namespace_;
  next.name = JournalMapName({JournalMapKind::kMapping});
  next.labels = JournalLabels();
  is_known_ = false;  // until it is heard
  auto written = access_->WriteConfigMap(next, Limits(term));
  if (!written.ok()) return written.status();
  map_ = *std::move(written);
  entries_ = EntriesOf(map_);
  for (const auto& [name, stand_in] : entries_) checks_.try_emplace(name);
  std::erase_if(checks_, [this](const auto& check) { return !entries_.contains(check.first); });
  is_known_ = true;
  return absl::OkStatus();
}

// A pod that names a stand-in of before gets what its class gives now. A target that is not there
// would refuse it.
ConfigMap Mapper::MapWith(const Entries& entries) const {
  ConfigMap next = map_;
  next.data = entries;
  if (const auto fence = map_.data.find(kFence); fence != map_.data.end()) next.data.insert(*fence);
  std::set<std::string_view> present;
  for (const auto& [name, stand_in] : entries) present.insert(stand_in);
  for (const auto& [name, way] : ways_) present.insert(way.stand_in);
  for (const auto& [stand_in, of] : own_) {
    if (present.contains(stand_in)) continue;
    const auto entry = entries.find(of);
    if (entry != entries.end()) {
      next.data.emplace(stand_in, entry->second);
    } else if (seen_.contains(of)) {
      next.data.emplace(stand_in, of);
    }
  }
  return next;
}

absl::Status Mapper::Write(std::string_view class_name, const std::string& stand_in,
                           const std::stop_token& term) {
  Entries entries = entries_;
  entries.erase(std::string(class_name));
  if (!stand_in.empty()) entries.emplace(class_name, stand_in);
  checks_.erase(std::string(class_name));
  return Put(MapWith(entries), term);
}

absl::Status Mapper::Unmap(std::string_view class_name, const std::stop_token& term) {
  if (absl::Status read = Refresh(term); !read.ok()) return read;
  if (const auto way = ways_.find(class_name); way != ways_.end()) ways_.erase(way);
  return entries_.contains(class_name) ? Write(class_name, "", term) : absl::OkStatus();
}

// ---- Stand-ins ----

absl::StatusOr<Mapper::Ready> Mapper::Make(const ReplaceRequest& request,
                                           const std::string& stand_in,
                                           std::string_view preemption_policy,
                                           const std::stop_token& term) {
  auto there = classes_->ReadPriorityClass(stand_in, Limits(term));
  if (there.ok() && doomed_.contains(stand_in)) {
    if (absl::Status deleted = Delete(*there, term); !deleted.ok()) return deleted;
    there = classes_->ReadPriorityClass(stand_in, Limits(term));
  }
  if (absl::IsNotFound(there.status())) {
    const std::string manifest = ManifestOf(request, stand_in, preemption_policy);
    StringMap annotations;
    annotations.Set(std::string(kStandsForAnnotation), request.class_name);
    annotations.Set(std::string(kMappedInAnnotation), namespace_);
    there = classes_->CreatePriorityClass(
        {manifest, static_cast<int32_t>(request.target), annotations}, Limits(term));
    if (absl::IsAlreadyExists(there.status())) {
      there = classes_->ReadPriorityClass(stand_in, Limits(term));
    }
    if (SaysNo(there.status())) {
      return Ready{false, "admission",
                   Printable(fmt::format("class {} cannot be created: {}", stand_in,
                                         std::string(there.status().message())))};
    }
  }
  if (!there.ok()) return there.status();
  if (IsOwn(*there) && IsWanted(*there, request, preemption_policy)) return Ready{true};
  return Ready{false, "name-taken",
               fmt::format("class {} belongs to another writer, or is being deleted; new pods "
                           "cannot get value {} while it exists",
                           stand_in, request.target)};
}

absl::StatusOr<Mapper::Ready> Mapper::Prepare(std::string_view preemption_policy, Way* way,
                                              Millis now, const std::stop_token& term) {
  if (!made_.contains(way->stand_in)) {
    auto made = Make(way->request, way->stand_in, preemption_policy, term);
    if (!made.ok() || !made->is_ready) return made;
    made_[way->stand_in] = now;
  }
  const auto pod = classes_->TryPod(namespace_, way->stand_in, Limits(term));
  if (SaysNo(pod.status())) {
    return Ready{
        false, "admission",
        Printable(fmt::format("the trial (dry run) of a pod of class {} failed in namespace {}: {}",
                              way->stand_in, namespace_, std::string(pod.status().message())))};
  }
  const Millis settled = made_[way->stand_in] + kSettle;
  if (absl::IsNotFound(pod.status())) {
    // It is not known yet. If it was deleted, it is made again.
    if (now >= settled) made_.erase(way->stand_in);
    way->next = now + kFirstQuestion;
    return Ready{};
  }
  if (!pod.ok()) return pod.status();
  way->next = settled;
  return Ready{now >= settled};
}

// A class that is in the map must be there, or the class is taken out of it.
absl::Status Mapper::KeepMapped(Millis now, const std::stop_token& term) {
  absl::Status first;
  const Entries entries = entries_;
  for (const auto& [name, stand_in] : entries) {
    if (own_.contains(stand_in)) continue;
    const auto carried = CarriedBy(stand_in, name);
    if (!carried) continue;  // no entry is without
    const auto made = Make({.class_name = name, .target = carried->value}, stand_in,
                           carried->preemption_policy, term);
    if (!made.ok()) {
      first.Update(made.status());
    } else if (made->is_ready) {
      made_.try_emplace(stand_in, now);
    } else {
      made_.erase(stand_in);  // Map() says why
      first.Update(Unmap(name, term));
    }
  }
  return first;
}

absl::StatusOr<std::optional<Replacement>> Mapper::Map(const ReplaceRequest& request,
                                                       std::string_view preemption_policy,
                                                       const std::stop_token& term) {
  if (absl::Status read = Refresh(term); !read.ok()) return read;
  Replacement done = MappedOf(request, Outcome::kReplaced);
  if (request.target == request.base) {
    if (absl::Status unmapped = Unmap(request.class_name, term); !unmapped.ok()) return unmapped;
    done.message = fmt::format("value {} -> {}, its base: {}", done.before, done.value, done.cause);
    return done;
  }
  const std::string stand_in = StandInName(request.class_name, request.target, preemption_policy);
  const auto entry = entries_.find(request.class_name);
  if (entry != entries_.end() && entry->second == stand_in) {
    ways_.erase(request.class_name);
    return MappedOf(request, Outcome::kUnchanged);
  }
  // Targets may change more often than a stand-in takes: what was begun is ended first.
  Way& way = ways_.try_emplace(request.class_name, Way{request, stand_in}).first->second;
  const auto ready = Prepare(preemption_policy, &way, request.now, term);
  if (!ready.ok()) return ready.status();
  if (!ready->reason.empty()) {
    ways_.erase(request.class_name);
    return RefusedFor(request, ready->reason, ready->message);
  }
  if (!ready->is_ready) return std::optional<Replacement>();
  const Way reached = way;
  if (absl::Status written = Write(request.class_name, reached.stand_in, term); !written.ok()) {
    return written;
  }
  ways_.erase(request.class_name);
  checks_[request.class_name] = {.since = request.now, .next = request.now};
  done = MappedOf(reached.request, Outcome::kReplaced);
  done.message = fmt::format("value {} -> {}, base {}: {}: new pods get class {}", done.before,
                             done.value, done.base, done.cause, reached.stand_in);
  return done;
}

std::optional<Millis> Mapper::DueOf(std::string_view class_name) const {
  const auto way = ways_.find(class_name);
  return way == ways_.end() ? std::nullopt : std::optional(way->second.next);
}

// ---- Afterwards ----

bool Mapper::IsMapped(std::string_view stand_in) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.second == stand_in; });
}

bool Mapper::IsNeeded(std::string_view stand_in) const {
  return IsMapped(stand_in) || std::any_of(ways_.begin(), ways_.end(), [&](const auto& way) {
           return way.second.stand_in == stand_in;
         });
}

// Another agent may have stand-ins of its own, and may have them in its map.
bool Mapper::IsOwn(const PriorityClass& one) const {
  return !StandsFor(one).empty() && one.annotations.Get(kMappedInAnnotation) == namespace_;
}

void Mapper::See(const std::vector<PriorityClass>& classes) {
  seen_.clear();
  own_.clear();
  for (const PriorityClass& one : classes) {
    seen_.insert(one.name);
    if (IsOwn(one)) own_.emplace(one.name, StandsFor(one));
  }
}

absl::Status Mapper::DeleteIdle(const std::vector<PriorityClass>& classes, const IsUsed& is_used,
                                Millis now, const std::stop_token& term) {
  if (absl::Status read = Refresh(term); !read.ok()) return read;
  absl::Status first;
  std::map<std::string, Millis, std::less<>> idle;
  for (const PriorityClass& one : classes) {
    if (!IsOwn(one) || IsNeeded(one.name)) continue;
    const auto known = idle_.find(one.name);
    Millis since = known == idle_.end() ? now : known->second;
    if (now >= since + kKept) {
      if (!is_used(one)) first.Update(Delete(one, term));
      since = now - now % kKept;  // those that stay are looked at again, at one time
    }
    idle[one.name] = since;
  }
  idle_ = std::move(idle);
  return first;
}

absl::Status Mapper::Tidy(const std::vector<PriorityClass>& classes, const IsUsed& is_used,
                          Millis now, const std::stop_token& term) {
  if (absl::Status read = Refresh(term); !read.ok()) return read;
  See(classes);
  absl::Status first = KeepMapped(now, term);
  first.Update(DeleteIdle(classes, is_used, now, term));
  ConfigMap wanted = MapWith(entries_);
  const bool is_news = !map_.name.empty() && wanted.data != map_.data;
  if (is_known_ && is_news) first.Update(Put(std::move(wanted), term));
  first.Update(AskAll(now, term));
  return first;
}

absl::Status Mapper::Delete(const PriorityClass& stand_in, const std::stop_token& term) {
  made_.erase(stand_in.name);
  is_known_ = false;  // another process may lead by now
  if (absl::Status read = Refresh(term); !read.ok()) return read;
  if (IsMapped(stand_in.name)) return absl::OkStatus();
  absl::Status deleted = classes_->DeletePriorityClass(stand_in.name, stand_in.uid,
                                                       stand_in.resource_version, Limits(term));
  if (absl::IsNotFound(deleted) || absl::IsAborted(deleted)) deleted = absl::OkStatus();
  // What was sent may arrive yet: that very class is not used again.
  if (deleted.ok()) {
    doomed_.erase(stand_in.name);
  } else {
    doomed_.insert(stand_in.name);
  }
  return deleted;
}

absl::Status Mapper::AskAll(Millis now, const std::stop_token& term) {
  for (auto& [name, check] : checks_) {
    if (now < check.next) continue;
    if (check.since == 0) check.since = now;
    const auto pod = classes_->TryPod(namespace_, name, Limits(term));
    check.pause = std::clamp(check.pause * 2, kFirstQuestion, kLongestQuestion);
    check.next = now + check.pause;
    if (absl::IsNotFound(pod.status())) continue;  // the class or its stand-in is away
    if (!pod.ok()) return pod.status();
    const bool holds = pod->priority_class_name == entries_.at(name);
    if (check.holds && !holds) check.since = now;
    check.holds = holds;
    if (holds) check = {.since = now, .next = now + kAskAgain, .pause = 0, .holds = true};
  }
  return absl::OkStatus();
}

std::set<std::string> Mapper::NotMapped() const {
  std::set<std::string> names;
  for (const auto& [name, check] : checks_) {
    if (!check.holds && check.since != 0 && check.next - check.pause >= check.since + kHolds) {
      names.insert(name);
    }
  }
  return names;
}

std::optional<Millis> Mapper::NextIdle() const {
  std::optional<Millis> next;
  for (const auto& [name, since] : idle_) {
    next = std::min(next.value_or(since + kKept), since + kKept);
  }
  return next;
}

std::optional<Millis> Mapper::NextTidy() const {
  std::optional<Millis> next = NextIdle();
  for (const auto& [name, check] : checks_) {
    next = std::min(next.value_or(check.next), check.next);
  }
  return next;
}

namespace {

constexpr size_t kLongestName = 253;  // of an object
constexpr std::string_view kAt = "-at-";
constexpr std::string_view kNever = "-never";

}  // namespace

std::string StandInName(std::string_view class_name, int64_t value,
                        std::string_view preemption_policy) {
  const std::string tail =
      fmt::format("{}{}{}{}", kAt, value < 0 ? "m" : "", value < 0 ? -value : value,
                  preemption_policy == "Never" ? kNever : "");
  if (class_name.size() + tail.size() <= kLongestName) return fmt::format("{}{}", class_name, tail);
  const std::string sum = CheckOf("", class_name);  // a name that is taken is seen to be taken
  std::string_view head = class_name.substr(0, kLongestName - tail.size() - sum.size() - 1);
  while (head.ends_with('.') || head.ends_with('-')) head.remove_suffix(1);
  return fmt::format("{}-{}{}", head, sum, tail);
}

std::optional<Carried> CarriedBy(std::string_view stand_in, std::string_view class_name) {
  const size_t at = stand_in.rfind(kAt);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = stand_in.substr(at + kAt.size());
  const bool is_never = digits.ends_with(kNever);
  if (is_never) digits.remove_suffix(kNever.size());
  const bool is_below_zero = digits.starts_with('m');
  if (is_below_zero) digits.remove_prefix(1);
  const auto number = IntegerOf(digits);
  if (!number || *number < 0) return std::nullopt;
  const Carried carried{is_below_zero ? -*number : *number,
                        is_never ? "Never" : "PreemptLowerPriority"};
  const std::string is = StandInName(class_name, carried.value, carried.preemption_policy);
  return is == stand_in ? std::optional(carried) : std::nullopt;
}

std::string_view StandsFor(const PriorityClass& priority_class) {
  const std::string_view of = priority_class.annotations.Get(kStandsForAnnotation);
  if (of.empty() || priority_class.name !=
                        StandInName(of, priority_class.value, priority_class.preemption_policy)) {
    return {};
  }
  for (const auto& [name, value] : JournalLabels()) {
    if (priority_class.labels.Get(name) != value) return {};
  }
  return of;
}

Entries EntriesOf(const ConfigMap& map) {
  Entries entries;
  for (const auto& [name, value] : map.data) {
    if (CarriedBy(value, name)) entries.emplace(name, value);
  }
  return entries;
}

std::set<std::string, std::less<>> ClassesOfQuota(std::string_view quota) {
  std::set<std::string, std::less<>> names;
  const auto object = nlohmann::json::parse(quota, nullptr, /*allow_exceptions=*/false);
  const auto at = nlohmann::json::json_pointer("/spec/scopeSelector/matchExpressions");
  if (!object.is_object() || !object.contains(at) || !object[at].is_array()) return names;
  for (const auto& term : object[at]) {
    if (!term.is_object() || !term.contains("scopeName") || !term.contains("values")) continue;
    if (term["scopeName"] != "PriorityClass" || !term["values"].is_array()) continue;
    for (const auto& value : term["values"]) {
      if (value.is_string()) names.insert(value.get<std::string>());
    }
  }
  return names;
}

}  // namespace outrigger::penalty
