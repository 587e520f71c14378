#include "cel/check/unifier.h"

#include <algorithm>
#include <array>

namespace outrigger::cel {
namespace {

bool IsVariable(const Type& type) {
  return type.kind == TypeKind::kVariable;
}
bool IsWild(const Type& type) {
  return IsDyn(type) || type.kind == TypeKind::kError;
}

bool IsNullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return false;
  }
}

bool LessSpecific(const Type& a, const Type& b) {
  if (IsDyn(a) || IsVariable(a)) return true;
  if (IsDyn(b) || IsVariable(b) || a.kind != b.kind) return false;
  if (a.kind == TypeKind::kType) return true;
  if (a.name != b.name || a.parameter_count != b.parameter_count) return false;
  for (size_t i = 0; i < a.parameter_count; ++i) {
    if (!LessSpecific(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

}  // namespace

const Type* Unifier::NewVariable() {
  bound_.push_back(nullptr);
  return pool_.Variable(static_cast<int32_t>(bound_.size() - 1));
}

const Type* Unifier::Bound(const Type& variable) const {
  return bound_[static_cast<size_t>(variable.variable)];
}

void Unifier::Bind(const Type& variable, const Type* type) {
  const Type*& place = bound_[static_cast<size_t>(variable.variable)];
  changes_.push_back({variable.variable, place});
  place = type;
}

template <typename Attempt>
bool Unifier::Try(Attempt attempt) {
  changes_.clear();
  if (attempt()) return true;
  for (size_t i = changes_.size(); i > 0; --i) {
    bound_[static_cast<size_t>(changes_[i - 1].variable)] = changes_[i - 1].before;
  }
  return false;
}

bool Unifier::Assignable(const Type* a, const Type* b) {
  return Try([&] { return Fits(a, b); });
}

bool Unifier::AssignableAll(std::span<const Type* const> a, std::span<const Type* const> b) {
  return Try([&] {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!Fits(a[i], b[i])) return false;
    }
    return true;
  });
}

bool Unifier::FitsParameters(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.name != b.name || a.parameter_count != b.parameter_count) return false;
  for (size_t i = 0; i < a.parameter_count; ++i) {
    if (!Fits(a.parameters[i], b.parameters[i])) return false;
  }
  return true;
}

bool Unifier::Fits(const Type* a, const Type* b) {
  if (IsVariable(*b)) {
    const Fit fit = FitVariable(a, b);
    if (fit.fits) return true;
    if (fit.bound) return false;
  }
  if (IsVariable(*a)) return FitVariable(b, a).fits;
  if (IsWild(*a) || IsWild(*b)) return true;
  if (a->kind == TypeKind::kNull) return IsNullable(*b);
  if (b->kind == TypeKind::kNull) return IsNullable(*a);
  if (a->kind == TypeKind::kType) return b->kind == TypeKind::kType;
  return FitsParameters(*a, *b);
}

Unifier::Fit Unifier::FitVariable(const Type* type, const Type* variable) {
  if (SameType(*type, *variable)) return {true, true};
  if (const Type* bound = Bound(*variable)) {
    if (SameType(*type, *bound)) return {true, true};
    if (!Fits(type, bound)) return {false, true};
    const Type* general = MostGeneral(type, bound);
    if (Absent(*variable, *general)) Bind(*variable, general);
    return {true, true};
  }
  if (!Absent(*variable, *type)) return {false, false};
  Bind(*variable, type);
  return {true, false};
}

bool Unifier::Absent(const Type& variable, const Type& within) const {
  if (SameType(variable, within)) return false;
  if (IsVariable(within)) {
    const Type* bound = Bound(within);
    return bound == nullptr || Absent(variable, *bound);
  }
  for (size_t i = 0; i < within.parameter_count; ++i) {
    if (!Absent(variable, *within.parameters[i])) return false;
  }
  return true;
}

const Type* Unifier::MostGeneral(const Type* a, const Type* b) {
  return LessSpecific(*a, *b) ? a : b;
}

const Type* Unifier::Substitute(const Type* type, bool free_to_dyn) {
  if (IsVariable(*type)) {
    if (const Type* bound = Bound(*type)) return Substitute(bound, free_to_dyn);
    return free_to_dyn ? &types::kDyn : type;
  }
  if (type->parameter_count == 0) return type;
  std::array<const Type*, 2> parameters = {};
  bool changed = false;
  for (size_t i = 0; i < type->parameter_count; ++i) {
    parameters[i] = Substitute(type->parameters[i], free_to_dyn);
    changed = changed || parameters[i] != type->parameters[i];
  }
  return changed ? pool_.With(*type, parameters) : type;
}

const Type* Unifier::Instantiate(const Type* type, std::span<const Type* const> fresh) {
  if (IsVariable(*type)) return fresh[static_cast<size_t>(type->variable)];
  if (type->parameter_count == 0) return type;
  std::array<const Type*, 2> parameters = {};
  for (size_t i = 0; i < type->parameter_count; ++i) {
    parameters[i] = Instantiate(type->parameters[i], fresh);
  }
  return pool_.With(*type, parameters);
}

}  // namespace outrigger::cel
