#include "wire/node_set.h"

#include "fmt/format.h"
#include "json/path.h"

namespace outrigger::wire {
namespace {

using json::Cut;

// Debian's abseil has a string_view of its own.
absl::string_view Key(std::string_view text) {
  return {text.data(), text.size()};
}

absl::Status Disagree(std::string_view how, std::string_view name) {
  return absl::FailedPreconditionError(
      fmt::format("Nodes and NodeNames disagree: {} \"{}\"; set one, or the same nodes in both",
                  how, Cut(name)));
}

}  // namespace

absl::Status CheckSameNames(const std::vector<std::string_view>& given,
                            absl::flat_hash_set<absl::string_view>* names) {
  for (const std::string_view name : given) {
    // A name that was taken out before is one that NodeNames has twice.
    if (names->erase(Key(name)) == 0) return Disagree("only NodeNames has, or has twice,", name);
  }
  if (names->empty()) return absl::OkStatus();
  const absl::string_view left = *names->begin();
  return Disagree("only Nodes has", {left.data(), left.size()});
}

}  // namespace outrigger::wire
