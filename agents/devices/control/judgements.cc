#include "control/judgements.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

bool HasClassOfType(const Contents& contents, const std::string& type) {
  bool has = false;
  contents.classes().ForEach([&](const std::string&, const auto& of) {
    has = has || (of->of.device_type == type && !of->of.admin_access);
  });
  return has;
}

// A class that the claim names and that may come; empty: all are there.
std::string MissingOf(const Contents& contents, const Claim& claim) {
  for (const Request& request : claim.requests) {
    for (const Detail& detail : request.details) {
      const std::string& name = detail.device_class;
      if (!name.empty() && contents.FindClass(name) == nullptr) {
        return fmt::format("there is no DeviceClass \"{}\"", name);
      }
      const std::string& type = detail.device_type;
      if (name.empty() && !type.empty() && !HasClassOfType(contents, type)) {
        return fmt::format("there is no DeviceClass of type \"{}\"", type);
      }
    }
  }
  return {};
}

// A class with a driver needs no DeviceDriver: pools are enough.
ClassJudgement JudgeNamed(const Contents& contents, const std::string& driver) {
  if (contents.drivers().contains(driver)) return {true, "DriverFound", "", {driver}};
  const std::string missing = fmt::format("there is no DeviceDriver \"{}\"", driver);
  if (contents.HasPoolsOf(driver)) {
    return {true, "PoolsFound", fmt::format("{}, but pools of it", missing), {driver}};
  }
  return {false, "NoDriver", fmt::format("{}, and no DevicePool of it", missing), {}};
}

std::vector<std::string> DriversOfType(const Contents& contents, const Class& of) {
  std::vector<std::string> names;
  for (const auto& [name, driver] : contents.drivers()) {
    const std::vector<std::string>& types = driver.device_types;
    if (std::find(types.begin(), types.end(), of.device_type) != types.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

ClaimJudgement JudgeClaim(const Contents& contents, const Allocator& allocator,
                          const ClaimObject& claim) {
  const absl::Status itself = CheckClaim(claim.claim);
  if (!itself.ok()) return {ClaimState::kInvalid, std::string(itself.message())};
  std::string missing = MissingOf(contents, claim.claim);
  if (missing.empty()) missing = contents.AdminAccessFault(claim);
  if (!missing.empty()) return {ClaimState::kPending, std::move(missing)};
  const Claim* const claims[] = {&claim.claim};
  const Demand demand = allocator.Resolve(contents.inventory(), claims);
  if (demand.invalid().empty()) return {};
  return {ClaimState::kInvalid, demand.invalid().front().fault};
}

ClassJudgement JudgeClass(const Contents& contents, const Selectors& selectors, const Class& of) {
  const auto invalid = [](const absl::Status& fault) {
    return ClassJudgement{false, "Invalid", std::string(fault.message()), {}};
  };
  const absl::Status itself = CheckClass(of);
  if (!itself.ok()) return invalid(itself);
  if (!of.constraints.empty()) {
    const auto compiled = selectors.Compile(of.constraints, Environment::kPrototype);
    if (!compiled.ok()) return invalid(compiled.status());
  }
  if (!of.driver.empty()) return JudgeNamed(contents, of.driver);
  std::vector<std::string> drivers = DriversOfType(contents, of);
  if (drivers.empty()) {
    return {
        false, "NoDriver", fmt::format("no DeviceDriver has the type \"{}\"", of.device_type), {}};
  }
  return {true, "DriverFound", "", std::move(drivers)};
}

}  // namespace outrigger::devices::agent
