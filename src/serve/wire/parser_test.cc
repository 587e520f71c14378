#include "codec/json/parser.h"

#include <string>
#include <thread>

#include "wire_testing.h"

namespace outrigger::wire {
namespace {

using json::Object;
using json::ParserLease;

std::string CallOfSize(size_t bytes) {
  return R"({"Pod":{},"NodeNames":["a"],"x":")" + std::string(bytes, 'x') + "\"}";
}

TEST(ParserPool, KeepsTheMemoryOfUsualBodies) {
  ASSERT_THAT(DecodeArgs(CallOfSize(1U << 20U)), IsOk());
  const size_t kept = json::KeptParserBytes();
  EXPECT_GE(kept, size_t{1} << 20U);
  for (int call = 0; call < 10; ++call) ASSERT_THAT(DecodeArgs(CallOfSize(1U << 20U)), IsOk());
  EXPECT_EQ(json::KeptParserBytes(), kept);
}

TEST(ParserPool, ForgetsTheMemoryOfAHugeBody) {
  ASSERT_THAT(DecodeArgs(CallOfSize(ParserLease::kKeptBytes + 1)), IsOk());
  EXPECT_LE(json::KeptParserBytes(), ParserLease::kKeptBytes);
  ASSERT_THAT(DecodeArgs(CallOfSize(10)), IsOk());
}

TEST(ParserPool, KeepsABoundedAmountHoweverManyAreInUse) {
  {
    std::vector<std::unique_ptr<ParserLease>> leases;
    const PaddedBody body(CallOfSize(ParserLease::kKeptBytes / 4));
    for (int i = 0; i < 6; ++i) {
      leases.push_back(std::make_unique<ParserLease>());
      Object root;
      ASSERT_THAT((*leases.back())->Open(body, &root), IsOk());
    }
  }
  EXPECT_LE(json::KeptParserBytes(), ParserLease::kKeptBytes);
}

TEST(ParserPool, TrimsWhatLayUnusedSinceTheLastTrim) {
  json::TrimParsers();
  json::TrimParsers();
  ASSERT_EQ(json::KeptParserBytes(), 0U);
  const PaddedBody body(CallOfSize(1U << 20U));
  const auto use = [&body](ParserLease& lease) {
    Object root;
    ASSERT_THAT(lease->Open(body, &root), IsOk());
  };
  {
    ParserLease first;
    ParserLease second;
    use(first);
    use(second);
  }
  const size_t both = json::KeptParserBytes();
  EXPECT_GE(both, size_t{2} << 20U);
  json::TrimParsers();
  EXPECT_EQ(json::KeptParserBytes(), both) << "both were in use";
  {
    ParserLease one;
    use(one);
  }
  json::TrimParsers();
  EXPECT_EQ(json::KeptParserBytes(), both / 2) << "one was in use";
  json::TrimParsers();
  EXPECT_EQ(json::KeptParserBytes(), 0U);
}

TEST(ParserPool, ServesManyThreads) {
  const std::string request = GoldenBytes("requests/filter_full.json");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&request] {
      ExtenderArgs args;
      for (int call = 0; call < 50; ++call) {
        ASSERT_THAT(DecodeArgs(request, Needs::All(), &args), IsOk());
        ASSERT_EQ(args.nodes.size(), 3U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace outrigger::wire
