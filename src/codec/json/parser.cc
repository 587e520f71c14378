#include "codec/json/parser.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "codec/json/token_budget.h"
#include "outrigger/base/mutex.h"

namespace outrigger::json {
namespace {

class Pool {
 public:
  std::unique_ptr<Parser> Take() {
    const MutexLock lock(mutex_);
    if (free_.empty()) return std::make_unique<Parser>();
    std::unique_ptr<Parser> parser = std::move(free_.back().parser);
    free_.pop_back();
    kept_ -= parser->capacity();
    return parser;
  }

  void Return(std::unique_ptr<Parser> parser) {
    const MutexLock lock(mutex_);
    if (kept_ + parser->capacity() > ParserLease::kKeptBytes) return;
    kept_ += parser->capacity();
    free_.push_back({std::move(parser), round_});
  }

  void Trim() {
    std::vector<Free> dropped;  // freed behind the lock
    const MutexLock lock(mutex_);
    // Last in first out: what lies unused is at the front.
    const auto used = std::find_if(
        free_.begin(), free_.end(),
        [this](const Free& f) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return f.round == round_; });
    for (auto unused = free_.begin(); unused != used; ++unused) {
      kept_ -= unused->parser->capacity();
      dropped.push_back(std::move(*unused));
    }
    free_.erase(free_.begin(), used);
    ++round_;
  }

  size_t kept() {
    const MutexLock lock(mutex_);
    return kept_;
  }

 private:
  struct Free {
    std::unique_ptr<Parser> parser;
    uint64_t round;  // in which it was used last
  };

  Mutex mutex_;
  std::vector<Free> free_ ABSL_GUARDED_BY(mutex_);
  size_t kept_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t round_ ABSL_GUARDED_BY(mutex_) = 0;  // the number of trims
};

Pool& SharedPool() {
  static auto* pool = new Pool;  // never destroyed: threads may still decode at exit
  return *pool;
}

absl::Status NoObject(const Path& at) {
  return Invalid(at, "expected a JSON object");
}

}  // namespace

absl::Status Parser::Open(Body body, Object* root) {
  const Path at("");
  if (body.size == 0) return Broken(at, simdjson::EMPTY);
  // Later versions of simdjson than 3.0 step over a byte order mark; Go's encoding/json does not.
  if (std::string_view(body.data, body.size).starts_with("\xEF\xBB\xBF")) return NoObject(at);
  if (absl::Status status = CheckTokens({body.data, body.size}, at); !status.ok()) return status;
  if (body.size > parser_.capacity()) {
    // In steps of a quarter, so that bodies which grow a little do not allocate every time.
    constexpr size_t kStep = size_t{64} << 10U;
    const size_t capacity = (body.size + body.size / 4 + kStep) / kStep * kStep;
    const auto error = parser_.allocate(capacity, parser_.max_depth());
    if (error != simdjson::SUCCESS) return Broken(at, error);
  }
  const simdjson::padded_string_view text(body.data, body.size, body.size + kPadding);
  const auto error = parser_.iterate(text).get(document_);
  return error == simdjson::SUCCESS ? Rewind(root) : Broken(at, error);
}

absl::Status Parser::Rewind(Object* root) {
  document_.rewind();
  const auto error = document_.get_object().get(*root);
  if (error == simdjson::SUCCESS) return absl::OkStatus();
  const Path at("");
  return error == simdjson::INCORRECT_TYPE ? NoObject(at) : Broken(at, error);
}

absl::Status Parser::Close() {
  // At the very end there is no token left to point at. A document whose brackets do not match may
  // have been left behind, too: then bytes of the padding were taken for its end.
  const bool at_end = document_.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (at_end) return absl::OkStatus();
  return Invalid(Path(""), "broken JSON: something follows the object, or its brackets are off");
}

ParserLease::ParserLease() : parser_(SharedPool().Take()) {}

ParserLease::~ParserLease() {
  SharedPool().Return(std::move(parser_));
}

size_t KeptParserBytes() {
  return SharedPool().kept();
}

void TrimParsers() {
  SharedPool().Trim();
}

}  // namespace outrigger::json
