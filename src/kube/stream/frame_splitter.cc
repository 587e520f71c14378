#include "kube/stream/frame_splitter.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

absl::Status FrameSplitter::Feed(std::string_view bytes, OnFrame on_frame) {
  while (true) {
    TakeLength(&bytes);
    if (in_length_ < kLengthBytes) return absl::OkStatus();
    if (length_ > max_frame_) {
      return absl::ResourceExhaustedError(
          fmt::format("an event of {} bytes, expected at most {}", length_, max_frame_));
    }
    if (bytes.size() < length_ - frame_.size()) {
      frame_.append(bytes);
      return absl::OkStatus();
    }
    absl::Status status = TakeFrame(&bytes, on_frame);
    if (!status.ok()) return status;
  }
}

void FrameSplitter::TakeLength(std::string_view* bytes) {
  while (in_length_ < kLengthBytes && !bytes->empty()) {
    length_ = (length_ << 8U) | static_cast<unsigned char>(bytes->front());
    ++in_length_;
    bytes->remove_prefix(1);
  }
}

absl::Status FrameSplitter::TakeFrame(std::string_view* bytes, OnFrame on_frame) {
  const size_t missing = length_ - frame_.size();
  const std::string_view rest = bytes->substr(0, missing);
  bytes->remove_prefix(missing);
  in_length_ = length_ = 0;
  if (frame_.empty()) return on_frame(rest);  // most come in one piece
  frame_.append(rest);
  absl::Status status = on_frame(frame_);
  frame_.clear();
  if (frame_.capacity() > kKeptBytes) frame_.shrink_to_fit();
  return status;
}

}  // namespace outrigger::kube
