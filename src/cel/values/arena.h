#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace outrigger::cel {

/// Memory for values that live until Reset(): lists, maps, texts made by an evaluation.
///
/// Blocks are kept over Reset(), so an evaluation that needs no more than an earlier one allocates
/// nothing. What is stored is never destroyed. Not thread-safe.
class Arena {
 public:
  /// At most `limit` bytes are handed out between two Reset(). The first block, made when it is
  /// needed, has `first_block` bytes.
  explicit Arena(size_t limit = kDefaultLimit, size_t first_block = kFirstBlock)
      : first_block_(first_block), limit_(limit) {}

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  /// Uninitialised memory for `count` objects, or nullptr where the limit does not allow it (also
  /// on every later call until Reset()).
  template <typename T>
  T* Allocate(size_t count = 1) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(AllocateBytes(count, sizeof(T)));
  }

  /// A copy of `value`, or nullptr as Allocate().
  template <typename T>
  const T* Store(const T& value) {
    T* place = Allocate<T>();
    return place == nullptr ? nullptr : new (place) T(value);
  }

  /// A copy of `text`; empty where the limit does not allow it.
  std::string_view StoreText(std::string_view text);

  /// Whether a request was refused since the last Reset().
  bool exhausted() const { return exhausted_; }

  /// Bytes handed out since the last Reset().
  size_t used() const { return used_; }

  /// Everything handed out becomes invalid. Blocks beyond the first megabyte are given back.
  void Reset();

  static constexpr size_t kDefaultLimit = size_t{64} << 20U;
  static constexpr size_t kFirstBlock = size_t{16} << 10U;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };

  void* AllocateBytes(size_t count, size_t size);
  void AddBlock(size_t bytes);

  std::vector<Block> blocks_;
  size_t current_ = 0;  // the block from which memory is taken
  size_t offset_ = 0;   // taken of that block
  size_t used_ = 0;
  size_t first_block_;
  size_t limit_;
  bool exhausted_ = false;
};

}  // namespace outrigger::cel
