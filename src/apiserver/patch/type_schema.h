#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/patch/strategic_merge_patch.h"
#include "apiserver/types/type_table.h"

namespace outrigger::apiserver {

/// A type of the table, as strategic merge patches look at it. Not thread-safe.
class TypeSchema final : public PatchSchema {
 public:
  explicit TypeSchema(const Type& type) : type_(type) {}

  std::string Name() const override { return std::string(type_.kind()); }
  std::optional<Field> Find(std::string_view json_name) const override;

 private:
  const Type& type_;
  mutable std::map<const Type*, std::unique_ptr<TypeSchema>> children_;
};

}  // namespace outrigger::apiserver
