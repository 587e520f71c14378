#include "cluster/node_names.h"

#include <utility>
#include <vector>

namespace outrigger::cluster {

void NodeNames::Note(std::string_view name, size_t slot, uint64_t epoch) {
  changed_.Set({std::string(name), slot}, epoch);
  // So that a rebuild, which looks at every node, comes once for as many changes as an eighth.
  constexpr size_t kFewest = 64;
  const size_t in_table = table_ == nullptr ? 0 : table_->slots.size();
  if (changed_.size() < kFewest + in_table / 8) return;
  table_ = Rebuilt();
  changed_ = {};
}

std::shared_ptr<const NodeNames::Table> NodeNames::Rebuilt() const {
  std::vector<std::pair<std::string_view, uint32_t>> all;
  size_t bytes = 0;
  const auto add = [&](std::string_view name, size_t slot) {
    all.emplace_back(name, static_cast<uint32_t>(slot));
    bytes += name.size();
  };
  if (table_ != nullptr) {
    for (const auto& [key, slot] : table_->slots) {
      const std::string_view name(key.data(), key.size());
      if (changed_.Find(name) == nullptr) add(name, slot);
    }
  }
  changed_.ForEach([&](const Change& change) {
    if (change.slot != kGone) add(change.name, change.slot);
  });

  auto table = std::make_shared<Table>();
  table->names.reserve(bytes);  // the keys point into it, so it must not move
  table->slots.reserve(all.size());
  for (const auto& [name, slot] : all) {
    const char* const at = table->names.data() + table->names.size();
    table->names.append(name);
    table->slots.emplace(absl::string_view(at, name.size()), slot);
  }
  return table;
}

}  // namespace outrigger::cluster
