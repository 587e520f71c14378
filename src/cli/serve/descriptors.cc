#include "cli/serve/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::cli {

std::string RaiseDescriptorLimit(size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return "";
  // Many systems give 1024 at first, for programs that use select(), and far more on request.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return "";
  return fmt::format(
      "this process may open {} files, but connections and --max-waiting-binds need {}: further "
      "connections close idle ones; raise the limit (ulimit -Hn, LimitNOFILE)",
      limit.rlim_cur, wanted);
}

}  // namespace outrigger::cli
