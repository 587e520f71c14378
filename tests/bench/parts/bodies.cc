#include "bodies.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace outrigger::bench {

RecordedBody::RecordedBody(std::string_view name) {
  const char* folder = std::getenv("OUTRIGGER_BENCH_BODIES");
  if (folder == nullptr) return;
  std::ifstream file(std::string(folder) + "/" + std::string(name), std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(file), {});
  size_ = bytes_.size();
  bytes_.append(wire::kPadding, '\0');
}

}  // namespace outrigger::bench
