#include "devices/allocation/cases_testing.h"

#include <algorithm>
#include <random>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

constexpr int kMostOfCase = 8;

/// Makes one case.
class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  Case Make() {
    const int pools = Pick(2, 3);
    for (int i = 0; i < pools && devices_ < kMostOfCase; ++i) AddPool(i);
    AddHoldings();
    const int claims = OneIn(2) ? 1 : Pick(2, 3);
    for (int i = 0; i < claims; ++i) AddClaim(i);
    return std::move(case_);
  }

 private:
  int Pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool OneIn(int n) { return Pick(1, n) == 1; }

  Attributes SomeAttributes(int most_numa) {
    Attributes attributes;
    if (!OneIn(6)) attributes.push_back({"numa", fmt::format("{}", Pick(0, most_numa))});
    if (!OneIn(6)) attributes.push_back({"model", int64_t{Pick(0, 1)}});
    return attributes;
  }

  void AddPool(int index) {
    Pool pool;
    pool.name = fmt::format("p{}", index);
    pool.node = kNode;
    pool.driver = fmt::format("d{}", Pick(0, 1));
    if (OneIn(2)) {
      pool.attributes = SomeAttributes(1);
      pool.count = Pick(-1, std::min(4, kMostOfCase - devices_));
      devices_ += std::max(0, static_cast<int>(*pool.count));
    } else {
      AddDevices(&pool);
    }
    case_.pools.push_back(std::move(pool));
  }

  void AddDevices(Pool* pool) {
    const bool counted = OneIn(3);
    const bool shared = !counted && OneIn(3);
    if (counted) pool->resources.push_back({"slots", Quantity::FromInt(Pick(1, 6)), {}});
    if (OneIn(2)) pool->attributes = SomeAttributes(1);
    const int count = Pick(1, std::min(shared ? 3 : 5, kMostOfCase - devices_));
    for (int i = 0; i < count; ++i) {
      Device device;
      device.name = fmt::format("x{}", i);
      device.attributes = SomeAttributes(2);
      if (counted && !OneIn(4)) device.requests["slots"] = Quantity::FromInt(Pick(1, 3));
      if (shared) AddMemory(&device);
      pool->devices.push_back(std::move(device));
    }
    devices_ += count;
  }

  void AddMemory(Device* device) {
    device->resources.push_back(
        {"memory", Quantity::FromInt(Pick(1, 4)), Quantity::FromInt(Pick(1, 2))});
    if (OneIn(4)) device->resources.push_back({"lanes", Quantity::FromInt(Pick(1, 2)), {}});
  }

  void AddHoldings() {
    for (const Pool& pool : case_.pools) {
      const std::string claim = fmt::format("default/job-{}", Pick(0, 2));
      if (pool.count.value_or(0) > 0 && OneIn(2)) {
        case_.holdings[claim].push_back({pool.name, "", Pick(1, 2), {}});
      }
      for (const Device& device : pool.devices) {
        if (!OneIn(4)) continue;
        Allocation held = {pool.name, device.name, 1, {}};
        if (!device.resources.empty()) {
          held.amounts["memory"] = Quantity::FromInt(1);
          if (device.resources.size() > 1) held.amounts["lanes"] = Quantity();
        }
        case_.holdings[claim].push_back(std::move(held));
      }
    }
  }

  Detail SomeDetail(bool flat) {
    Detail detail;
    detail.device_class = "any";
    if (OneIn(3)) detail.driver = fmt::format("d{}", Pick(0, 1));
    if (OneIn(4)) detail.constraints = OneIn(2) ? "device.model == 1" : "device.numa != '0'";
    detail.min_count = OneIn(8) ? 4 : Pick(1, OneIn(2) ? 3 : 1);
    if (OneIn(3)) detail.match_attributes.emplace_back(OneIn(2) ? "numa" : "model");
    if (flat) return detail;
    if (OneIn(8)) detail.distinct_attributes.emplace_back("numa");
    if (OneIn(4)) {
      detail.min_count = 1;
      detail.max_count = Pick(1, 2);
      detail.amounts["memory"] = Quantity::FromInt(Pick(1, 4));
    } else if (OneIn(12)) {
      detail.all = true;
      detail.min_count.reset();
    }
    detail.admin_access = OneIn(12);
    return detail;
  }

  void AddClaim(int index) {
    Claim claim;
    claim.namespace_ = "default";
    claim.name = fmt::format("c{}", index);
    claim.counts = OneIn(2);
    if (claim.counts) {
      claim.requests.push_back({{SomeDetail(true)}});
    } else {
      const int requests = Pick(1, 2);
      for (int i = 0; i < requests; ++i) {
        Request& request = claim.requests.emplace_back();
        request.details.push_back(SomeDetail(false));
        if (OneIn(4)) request.details.push_back(SomeDetail(false));
      }
      if (OneIn(4)) claim.match_attributes.emplace_back("numa");
      if (OneIn(10)) claim.distinct_attributes.emplace_back("model");
    }
    case_.claims.push_back(std::move(claim));
  }

  std::mt19937_64 random_;
  Case case_;
  int devices_ = 0;
};

std::string TextOf(const Attributes& attributes) {
  std::string text;
  for (const Attribute& one : attributes) {
    const auto* name = std::get_if<std::string>(&one.value);
    text += fmt::format(" {}={}", one.name,
                        name != nullptr ? *name : fmt::format("{}", std::get<int64_t>(one.value)));
  }
  return text;
}

std::string TextOf(const Amounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) text += fmt::format(" {}:{}", name, amount.ToString());
  return text;
}

std::string TextOf(const Detail& detail) {
  std::string text =
      fmt::format("{}..{}", detail.min_count.value_or(1), detail.max_count.value_or(99));
  if (!detail.driver.empty()) text += " of " + detail.driver;
  if (!detail.constraints.empty()) text += " if " + detail.constraints;
  for (const std::string& attribute : detail.match_attributes) text += " match " + attribute;
  for (const std::string& attribute : detail.distinct_attributes) text += " distinct " + attribute;
  return text + TextOf(detail.amounts) + (detail.all ? " all" : "") +
         (detail.admin_access ? " admin" : "");
}

}  // namespace

Case MakeCase(uint64_t seed) {
  return Maker(seed).Make();
}

Inventory InventoryOf(const Case& of) {
  Inventory inventory;
  for (const Pool& pool : of.pools) inventory.SetPool(pool);
  for (const auto& [claim, holding] : of.holdings) inventory.SetHolding(claim, holding);
  return inventory;
}

std::string Describe(const Case& of) {
  std::string text;
  for (const Pool& pool : of.pools) {
    text += fmt::format("pool {} {} {}:{}\n", pool.name, pool.driver, pool.count.value_or(-9),
                        TextOf(pool.attributes));
    for (const Resource& one : pool.resources) text += "  has " + one.capacity.ToString() + "\n";
    for (const Device& device : pool.devices) {
      text +=
          fmt::format("  {}{}{}", device.name, TextOf(device.attributes), TextOf(device.requests));
      for (const Resource& one : device.resources) {
        text += fmt::format(" has {} {}/{}", one.capacity.ToString(), one.name,
                            one.block_size.value_or(Quantity()).ToString());
      }
      text += "\n";
    }
  }
  for (const auto& [claim, holding] : of.holdings) {
    for (const Allocation& one : holding) {
      text += fmt::format("{} holds {} {} {}\n", claim, one.pool, one.device, one.count);
    }
  }
  for (const Claim& claim : of.claims) {
    text += fmt::format("claim {}{}", claim.name, claim.counts ? " counts" : "");
    for (const std::string& attribute : claim.match_attributes) text += " match " + attribute;
    for (const std::string& attribute : claim.distinct_attributes) text += " distinct " + attribute;
    text += "\n";
    for (const Request& request : claim.requests) {
      for (const Detail& detail : request.details) text += "  or " + TextOf(detail);
      text += "\n";
    }
  }
  return text;
}

}  // namespace outrigger::devices
