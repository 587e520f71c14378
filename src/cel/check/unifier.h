#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/check/type.h"

namespace outrigger::cel {

/// Decides which types fit which, and what type variables stand for (the checker's "mapping" in
/// cel-go, checker/types.go).
class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type* NewVariable();

  /// Whether a value of type `b` may stand where `a` is wanted. What variables stand for is
  /// remembered if so, and as before if not.
  bool Assignable(const Type* a, const Type* b);
  bool AssignableAll(std::span<const Type* const> a, std::span<const Type* const> b);

  /// `type` with variables replaced by what they stand for; free ones by dyn if `free_to_dyn`.
  const Type* Substitute(const Type* type, bool free_to_dyn);

  /// The less specific of two types that fit each other.
  static const Type* MostGeneral(const Type* a, const Type* b);

  /// `type` of a signature with its variables (0 to their number) replaced by `fresh` ones.
  const Type* Instantiate(const Type* type, std::span<const Type* const> fresh);

 private:
  struct Change {
    int32_t variable;
    const Type* before;
  };
  struct Fit {
    bool fits = false;
    bool bound = false;  // the variable stood for something already
  };

  const Type* Bound(const Type& variable) const;
  void Bind(const Type& variable, const Type* type);
  bool Fits(const Type* a, const Type* b);
  bool FitsParameters(const Type& a, const Type& b);
  Fit FitVariable(const Type* type, const Type* variable);
  bool Absent(const Type& variable, const Type& within) const;
  template <typename Attempt>
  bool Try(Attempt attempt);

  TypePool& pool_;
  std::vector<const Type*> bound_;
  std::vector<Change> changes_;  // of the attempt that is made
};

}  // namespace outrigger::cel
