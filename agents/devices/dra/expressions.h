#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "cel/device.h"
#include "cel/program.h"
#include "devices/dra/objects.h"

namespace outrigger::dra {

/// What an expression says of a device.
struct Said {
  enum class What : uint8_t { kTrue, kFalse, kError } what = What::kFalse;
  std::string text;     ///< of an error
  bool unsure = false;  ///< it comes of an attribute that kube-scheduler may read another way
};

/// Compiles and evaluates expressions, each once for each device. Not thread-safe.
class Expressions {
 public:
  /// From now on all that is new may cost so many units of CEL; beyond that nothing is sure.
  void Allow(int64_t units) { left_ = units; }
  bool IsSpent() const { return left_ <= 0; }

  /// `device` is of `driver`, and outlives this.
  const Said& Evaluate(std::string_view expression, std::string_view driver, const Device& device);

 private:
  struct Compiled {
    std::optional<cel::Program> program;
    Said fault;  // if there is none
    uint32_t number = 0;
  };
  struct Built {
    std::unique_ptr<cel::Device> device;  // null: a version of it is none
    std::unique_ptr<cel::Device> other;   // where a name is there with and without the driver's
                                          // domain: kube-scheduler takes either value, by chance
    std::string fault;
    bool has_unknown = false;
  };

  const Compiled& Compile(std::string_view expression);
  const Built& Build(std::string_view driver, const Device& device);
  Said Ask(const Compiled& compiled, const cel::Device& device);
  /// Forgets what was found out, if that is much: tenants write expressions without number, and a
  /// program may have some megabytes.
  void Bound();

  static constexpr size_t kMostPrograms = 64;
  static constexpr size_t kMostSaid = 500'000;

  int64_t left_ = std::numeric_limits<int64_t>::max();
  uint32_t last_ = 0;  // number of a program
  const Said spent_{Said::What::kError, "expressions cost more than the limit of one call", true};
  absl::flat_hash_map<std::string, std::unique_ptr<Compiled>> programs_;
  absl::flat_hash_map<const Device*, std::unique_ptr<Built>> devices_;
  absl::flat_hash_map<std::pair<uint32_t, const Device*>, std::unique_ptr<Said>> said_;
};

}  // namespace outrigger::dra
