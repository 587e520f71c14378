#include "desk/leadership/lease_name.h"

#include <cstddef>

namespace outrigger::desk {

absl::StatusOr<LeaseName> ReadLeaseName(std::string_view setting, const std::string& text,
                                        std::string_view accepted) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" is not accepted: {}", setting, text, accepted));
  }
  return LeaseName{.namespace_ = text.substr(0, slash), .name = text.substr(slash + 1)};
}

}  // namespace outrigger::desk
