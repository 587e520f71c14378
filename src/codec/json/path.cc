#include "codec/json/path.h"

#include "fmt/format.h"

namespace outrigger::json {
namespace {

constexpr size_t kMaxTextInMessages = 64;

}  // namespace

void Path::Malformed(std::string_view value, std::string_view accepted) const {
  if (malformed_ == nullptr || malformed_->size() >= kMaxMalformed) return;
  malformed_->push_back({.node = {},
                         .field = Text(/*within_object=*/true),
                         .value = std::string(Cut(value)),
                         .accepted = std::string(accepted)});
}

std::string Path::Text(bool within_object) const {
  if (within_object && is_object_) return {};
  std::string text = parent_ == nullptr ? std::string() : parent_->Text(within_object);
  if (index_ != kNoIndex) return text + fmt::format("[{}]", index_);
  if (!text.empty()) text += '.';
  return text += Cut(key_);
}

std::string_view Cut(std::string_view text) {
  if (text.size() <= kMaxTextInMessages) return text;
  size_t end = kMaxTextInMessages;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

absl::Status Invalid(const Path& at, std::string_view text) {
  const std::string path = at.Text();
  return absl::InvalidArgumentError(fmt::format("{}: {}", path.empty() ? "body" : path, text));
}

}  // namespace outrigger::json
