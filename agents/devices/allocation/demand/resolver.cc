#include "devices/allocation/demand/resolver.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "devices/allocation/model/amount.h"
#include "devices/allocation/pools/inventory_state.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

template <typename... Args>
absl::Status NoSuch(fmt::format_string<Args...> text, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(text, std::forward<Args>(args)...));
}

// All drivers that register the type of a class that names none.
std::vector<std::string> DriversOf(const Class& of, const InventoryState& state) {
  if (!of.driver.empty()) return {of.driver};
  std::vector<std::string> names;
  for (const auto& [name, driver] : state.drivers) {
    const std::vector<std::string>& types = driver.device_types;
    if (std::find(types.begin(), types.end(), of.device_type) != types.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<Wish> WishesOf(const Detail& detail) {
  std::vector<Wish> wishes;
  for (const auto& [name, amount] : detail.amounts) {
    wishes.push_back({name, ToAmount(amount).value_or(0), amount.format()});
  }
  return wishes;
}

std::string RequestName(const Claim& claim, size_t request) {
  return claim.requests.size() == 1 ? "" : fmt::format("claims[{}]", request);
}

}  // namespace

Resolver::Resolver(const Inventory& inventory, const AllocatorOptions& options, MatchCache* cache,
                   Depth depth)
    : inventory_(inventory),
      options_(options),
      resolves_(options.always_resolve || !inventory.state().classes.empty()),
      cache_(cache),
      depth_(depth) {}

std::shared_ptr<const DemandData> Resolver::Resolve(std::span<const Claim* const> claims,
                                                    Unknown* unknown) {
  unknown_ = unknown;
  if (options_.hides_others && !claims.empty()) data_.namespace_ = claims.front()->namespace_;
  for (size_t i = 0; i < claims.size(); ++i) {
    data_.claims.push_back(NameOf(*claims[i]));
    const absl::Status status = AddClaim(static_cast<int32_t>(i), *claims[i]);
    if (!status.ok()) data_.invalid.push_back({i, std::string(status.message())});
  }
  AddGroups();
  data_.epoch = inventory_.state().epoch();
  data_.sets = inventory_.state().sets().size();
  return std::make_shared<const DemandData>(std::move(data_));
}

void Resolver::AddGroups() {
  std::set<std::string> attributes(options_.topology_attributes.begin(),
                                   options_.topology_attributes.end());
  for (const Constraint& constraint : data_.constraints) {
    if (!constraint.distinct) attributes.insert(constraint.values->attribute);
  }
  for (const std::string& attribute : attributes) data_.groups.push_back(Values(attribute));
}

std::shared_ptr<const ValueColumn> Resolver::Values(const std::string& attribute) {
  attributes_.insert(attribute);
  const bool is_bounded = attributes_.size() <= MatchCache::kMostAttributes;
  if (depth_ == Depth::kMatches && is_bounded)
    return cache_->Values(attribute, inventory_.state().sets());
  auto column = std::make_shared<ValueColumn>();
  column->attribute = attribute;
  return column;
}

absl::StatusOr<std::shared_ptr<const Matches>> Resolver::MatchesOf(const MatchQuery& query) const {
  if (depth_ == Depth::kMatches) {
    return cache_->Find(query, inventory_.state().sets(), unknown_);
  }
  for (const ClassOption& option : query.options) {
    absl::Status fault = cache_->Check(option.constraints, unknown_);
    if (!fault.ok()) return fault;
  }
  absl::Status fault = cache_->Check(query.constraints, unknown_);
  if (!fault.ok()) return fault;
  return nullptr;
}

absl::Status Resolver::AddClaim(int32_t index, const Claim& claim) {
  if (!claim.fault.empty()) return CheckClaim(claim);
  std::vector<int32_t> of_claim;
  for (const std::string& attribute : claim.match_attributes) {
    of_claim.push_back(AddConstraint(attribute, false));
  }
  for (const std::string& attribute : claim.distinct_attributes) {
    of_claim.push_back(AddConstraint(attribute, true));
  }
  for (size_t i = 0; i < claim.requests.size(); ++i) {
    Slot slot = {.claim = index,
                 .name = RequestName(claim, i),
                 .few_pools = claim.counts,
                 .alternatives = {}};
    for (const Detail& detail : claim.requests[i].details) {
      absl::Status status = AddDetail(claim, detail, of_claim, &slot);
      if (!status.ok()) return status;
    }
    data_.slots.push_back(std::move(slot));
  }
  if (attributes_.size() > MatchCache::kMostAttributes) {
    return NoSuch(
        "the claims of the pod name more than {} attributes that are to be equal or "
        "different",
        MatchCache::kMostAttributes);
  }
  return CheckClaim(claim);
}

const Class* Resolver::ClassOf(const Detail& detail) const {
  return resolves_ ? inventory_.FindClass(detail.device_class) : nullptr;
}

absl::Status Resolver::AddDetail(const Claim& claim, const Detail& detail,
                                 const std::vector<int32_t>& of_claim, Slot* slot) {
  Alternative alternative;
  for (const std::string* what : {&detail.device_class, &detail.device_type, &detail.driver}) {
    if (alternative.what.empty()) alternative.what = *what;
  }
  const Class* of = ClassOf(detail);
  absl::Status status = SetCounts(claim, detail, of, &alternative);
  if (!status.ok()) return status;
  MatchQuery query;
  query.constraints = detail.constraints;
  status = AddClasses(detail, &query);
  if (!status.ok()) return status;
  auto matches = MatchesOf(query);
  if (!matches.ok()) return matches.status();
  alternative.matches = *std::move(matches);
  alternative.all = detail.all;
  alternative.admin = detail.admin_access || (of != nullptr && of->admin_access);
  if (!alternative.admin) alternative.wishes = WishesOf(detail);
  data_.has_admin = data_.has_admin || alternative.admin;
  alternative.constraints = of_claim;
  AddOwnConstraints(detail, of, &alternative);
  alternative.contradicts = Contradicts(claim, alternative);
  slot->alternatives.push_back(std::move(alternative));
  return absl::OkStatus();
}

absl::Status Resolver::SetCounts(const Claim& claim, const Detail& detail, const Class* of,
                                 Alternative* alternative) const {
  const int64_t class_least = of == nullptr ? 1 : of->min_count.value_or(1);
  alternative->least = detail.min_count.value_or(class_least);
  // What is out of range altogether is found by CheckClaim().
  alternative->most = detail.max_count.value_or(std::max(kMostWanted, alternative->least));
  if (claim.counts && alternative->least < class_least) {
    return NoSuch("minDeviceCount below that of the class, or below 1");
  }
  if (of != nullptr && of->max_count.has_value()) {
    if (detail.max_count.has_value() && *detail.max_count > *of->max_count) {
      return NoSuch("maxDeviceCount above that of the class");
    }
    alternative->most = std::min(alternative->most, *of->max_count);
  }
  if (alternative->least <= alternative->most) return absl::OkStatus();
  if (claim.counts) return NoSuch("minDeviceCount above maxDeviceCount");
  return NoSuch("at least {} devices, and at most {}", alternative->least, alternative->most);
}

absl::Status Resolver::AddClasses(const Detail& detail, MatchQuery* query) const {
  if (!resolves_) {
    ClassOption any;
    any.any_driver = detail.driver.empty();
    if (!any.any_driver) any.drivers.push_back(detail.driver);
    query->options.push_back(std::move(any));
    return absl::OkStatus();
  }
  if (detail.device_class.empty() && detail.device_type.empty() && detail.admin_access) {
    ClassOption of_driver;
    of_driver.drivers.push_back(detail.driver);
    query->options.push_back(std::move(of_driver));
    return absl::OkStatus();
  }
  if (!detail.device_class.empty()) {
    const Class* of = ClassOf(detail);
    if (of == nullptr) return NoSuch("there is no DeviceClass \"{}\"", detail.device_class);
    return AddClass(detail, *of, query);
  }
  for (const auto& [name, of] : inventory_.state().classes) {
    // Whoever asks for a type must not get by chance what is in use.
    if (of.device_type != detail.device_type || of.admin_access) continue;
    if (!CheckClass(of).ok() || !cache_->Check(of.constraints, unknown_).ok()) continue;
    absl::Status status = AddClass(detail, of, query);
    if (!status.ok()) return status;
  }
  if (!query->options.empty() || detail.device_type.empty()) return absl::OkStatus();
  return NoSuch("there is no DeviceClass of type \"{}\"", detail.device_type);
}

absl::Status Resolver::AddClass(const Detail& detail, const Class& of, MatchQuery* query) const {
  const absl::Status status = CheckClass(of);
  if (!status.ok())
    return NoSuch("DeviceClass \"{}\" is invalid: {}", of.name, std::string(status.message()));
  if (!detail.device_type.empty() && detail.device_type != of.device_type) {
    return NoSuch("DeviceClass \"{}\" is of type \"{}\", not \"{}\"", of.name, of.device_type,
                  detail.device_type);
  }
  ClassOption option;
  option.drivers = DriversOf(of, inventory_.state());
  option.constraints = of.constraints;
  if (!detail.driver.empty()) {
    if (!of.driver.empty() && of.driver != detail.driver) {
      return NoSuch("driver \"{}\" is not that of DeviceClass \"{}\"", detail.driver, of.name);
    }
    std::erase_if(option.drivers,
                  [&](const std::string& driver) { return driver != detail.driver; });
  }
  query->options.push_back(std::move(option));
  return absl::OkStatus();
}

void Resolver::AddOwnConstraints(const Detail& detail, const Class* of, Alternative* alternative) {
  std::set<std::string> attributes(detail.match_attributes.begin(), detail.match_attributes.end());
  if (of != nullptr) attributes.insert(of->match_attributes.begin(), of->match_attributes.end());
  for (const std::string& attribute : attributes) {
    alternative->constraints.push_back(AddConstraint(attribute, false));
  }
  for (const std::string& attribute : detail.distinct_attributes) {
    alternative->constraints.push_back(AddConstraint(attribute, true));
  }
}

// Two devices cannot be equal and different in one attribute.
bool Resolver::Contradicts(const Claim& claim, const Alternative& alternative) const {
  const auto is_both = [](const std::vector<std::string>& equal, const std::string& attribute) {
    return std::find(equal.begin(), equal.end(), attribute) != equal.end();
  };
  for (const std::string& attribute : claim.distinct_attributes) {
    if (claim.requests.size() > 1 && is_both(claim.match_attributes, attribute)) return true;
  }
  if (alternative.least < 2) return false;
  std::vector<std::string> equal;
  for (const int32_t id : alternative.constraints) {
    const Constraint& one = data_.constraints[static_cast<size_t>(id)];
    if (!one.distinct) equal.push_back(one.values->attribute);
  }
  return std::any_of(alternative.constraints.begin(), alternative.constraints.end(),
                     [&](int32_t id) {
                       const Constraint& one = data_.constraints[static_cast<size_t>(id)];
                       return one.distinct && is_both(equal, one.values->attribute);
                     });
}

int32_t Resolver::AddConstraint(const std::string& attribute, bool distinct) {
  data_.constraints.push_back({.distinct = distinct, .values = Values(attribute)});
  return static_cast<int32_t>(data_.constraints.size()) - 1;
}

}  // namespace outrigger::devices
