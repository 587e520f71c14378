#include "serve/server/version.h"

namespace outrigger::server {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

const Version& GetVersion() {
  static constexpr Version kVersion{.version = OUTRIGGER_VERSION,
                                    .commit = OUTRIGGER_COMMIT,
                                    .compiler = kCompiler,
                                    .build_type = OUTRIGGER_BUILD_TYPE};
  return kVersion;
}

}  // namespace outrigger::server
