#pragma once

#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/inventory.h"
#include "nlohmann/json.hpp"

namespace outrigger::devices {

/// What a row of tests/golden/devices.json gives to the engine, read by the product's readers.
struct Objects {
  std::vector<Pool> pools;
  std::vector<Class> classes;
  std::vector<Driver> drivers;
  std::vector<Claim> claims;
};

/// Adds the row's objects; a failure of the test if one cannot be read.
Objects ReadObjects(const nlohmann::json& input);

Inventory InventoryOf(const Objects& objects);

template <typename T>
std::vector<const T*> PointersTo(const std::vector<T>& items) {
  std::vector<const T*> pointers;
  for (const T& item : items) pointers.push_back(&item);
  return pointers;
}

}  // namespace outrigger::devices
