#include "http/pool.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace outrigger::http {
namespace {

Buffer BufferOf(size_t size) {
  Buffer buffer;
  buffer.Reserve(size, 0);
  return buffer;
}

TEST(Buffer, KeepsWhatIsUsedWhenItGrows) {
  Buffer buffer = BufferOf(5);
  std::memcpy(buffer.data(), "hello", 5);
  buffer.Reserve(1'000'000, 5);
  EXPECT_GE(buffer.capacity(), 1'000'000U);
  EXPECT_EQ(std::string_view(buffer.data(), 5), "hello");
}

TEST(BufferPool, GivesTheBufferThatCameBackLast) {
  Pool<Buffer> pool(4, 1'000'000);
  Buffer first = BufferOf(100);
  Buffer second = BufferOf(100);
  const char* const last = second.data();
  pool.Give(std::move(first));
  pool.Give(std::move(second));
  EXPECT_EQ(pool.Take(100).data(), last);
}

TEST(BufferPool, SkipsBuffersThatAreTooSmall) {
  Pool<Buffer> pool(4, 1'000'000);
  Buffer large = BufferOf(5000);
  const char* const expected = large.data();
  pool.Give(std::move(large));
  pool.Give(BufferOf(100));
  EXPECT_EQ(pool.Take(4000).data(), expected);
  EXPECT_EQ(pool.count(), 1U);
}

TEST(BufferPool, MakesRoomForALargerBufferWhenNoneFits) {
  Pool<Buffer> pool(4, 1'000'000);
  pool.Give(BufferOf(100));
  EXPECT_EQ(pool.Take(4000).capacity(), 0U);
  EXPECT_EQ(pool.count(), 0U);
  EXPECT_EQ(pool.bytes(), 0U);
}

TEST(BufferPool, KeepsNoMoreThanItsCaps) {
  Pool<Buffer> pool(3, 10'000);
  for (int i = 0; i < 10; ++i) pool.Give(BufferOf(800));
  EXPECT_EQ(pool.count(), 3U);
  pool.Give(BufferOf(8000));
  EXPECT_LE(pool.bytes(), 10'000U);
  const size_t before = pool.count();
  pool.Give(BufferOf(1'000'000));
  EXPECT_EQ(pool.count(), before) << "one that is larger than all may be is not kept";
}

TEST(BufferPool, TrimsWhatNobodyUsed) {
  Pool<Buffer> pool(4, 1'000'000);
  pool.Give(BufferOf(100));
  pool.Give(BufferOf(100));
  pool.Trim();
  EXPECT_EQ(pool.count(), 2U) << "used since the trim before";
  pool.Give(pool.Take(100));
  pool.Trim();
  EXPECT_EQ(pool.count(), 1U);
  pool.Trim();
  EXPECT_EQ(pool.count(), 0U);
  EXPECT_EQ(pool.bytes(), 0U);
}

}  // namespace
}  // namespace outrigger::http
