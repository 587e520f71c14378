#include "kube/stream/line_splitter.h"

#include "fmt/format.h"

namespace outrigger::kube {

absl::Status LineSplitter::Append(std::string_view bytes) {
  if (bytes.size() > max_line_ - line_.size()) {
    return absl::ResourceExhaustedError(
        fmt::format("an event of more than {} bytes, expected at most that", max_line_));
  }
  line_.append(bytes);
  return absl::OkStatus();
}

absl::Status LineSplitter::EndLine(absl::FunctionRef<absl::Status(json::Body)> on_line) {
  if (line_.find_first_not_of(" \t\r") == std::string::npos) {
    line_.clear();
    return absl::OkStatus();
  }
  const size_t size = line_.size();
  line_.append(json::kPadding, ' ');
  absl::Status status = on_line({line_.data(), size});
  line_.clear();
  if (line_.capacity() > kKeptBytes) line_.shrink_to_fit();
  return status;
}

absl::Status LineSplitter::Feed(std::string_view bytes,
                                absl::FunctionRef<absl::Status(json::Body)> on_line) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    absl::Status status = Append(bytes.substr(0, end));
    if (!status.ok() || end == std::string_view::npos) return status;
    status = EndLine(on_line);
    if (!status.ok()) return status;
    bytes.remove_prefix(end + 1);
  }
  return absl::OkStatus();
}

}  // namespace outrigger::kube
