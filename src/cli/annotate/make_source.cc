#include "cli/annotate/make_source.h"

#include <utility>

#include "annotate/allocation_source.h"
#include "annotate/usage_source.h"

namespace outrigger::cli {

absl::StatusOr<std::unique_ptr<annotate::ValueSource>> MakeValueSource(
    const AnnotateOptions& options, kube::Api* /*api*/, usage::Progress /*progress*/,
    std::function<void(const std::string& line)> /*warn*/) {
  if (options.what == Annotating::kAllocation) {
    return std::make_unique<annotate::AllocationSource>(annotate::AllocationOptions{
        .gpu = options.settings.gpu, .original_arithmetic = options.settings.original_arithmetic});
  }
  return absl::UnimplementedError("the sources of usage are not there yet");
}

}  // namespace outrigger::cli
