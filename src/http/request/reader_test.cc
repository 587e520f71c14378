#include "http/request/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "scripted_transport.h"

namespace outrigger::http {
namespace {

using testing::ScriptedTransport;

constexpr ReaderLimits kLimits{.max_body = 1'000'000};

/// Everything that a connection's bytes mean, one line a request.
std::string Meaning(std::vector<std::string_view> pieces, const ReaderLimits& limits = kLimits) {
  Pool<Buffer> bodies(4, size_t{1} << 20);
  Budget memory(size_t{1} << 30);
  std::string meaning;
  {
    RequestReader reader(limits, bodies, memory);
    ScriptedTransport transport(std::move(pieces), true);
    for (;;) {
      Moved::How blocked{};
      const auto state = reader.Advance(transport, &blocked);
      if (state == RequestReader::State::kComplete) {
        const std::string_view body = reader.body();
        const std::string padding(body.data() + body.size(), kBodyPadding);
        EXPECT_EQ(padding, std::string(kBodyPadding, '\0'));
        meaning += fmt::format("{} {} [{}]\n", reader.head().method, reader.head().path, body);
        reader.Next();
      } else if (state == RequestReader::State::kRefused) {
        meaning += fmt::format("{} {}\n", reader.refusal().status, reader.refusal().text);
        break;
      } else if (state == RequestReader::State::kEnded) {
        meaning += "end\n";
        break;
      }
    }
  }
  EXPECT_EQ(memory.held(), 0U);
  return meaning;
}

const std::string kMany =
    "POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello"
    "\r\nPOST /b?q HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;ext=\"x\"\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
    "GET /c HTTP/1.1\r\nHost: t\r\nX: folded\r\n  line\r\n\r\n"
    "POST /d HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n"
    "BAD REQUEST\r\n\r\n";
const std::string kManyMean =
    "POST /a [hello]\nPOST /b [abcde]\nGET /c []\nPOST /d []\n400 malformed request line or "
    "header\n";

TEST(RequestReader, UnderstandsARowOfRequests) {
  EXPECT_EQ(Meaning({kMany}), kManyMean);
}

TEST(RequestReader, UnderstandsTheSameWhereverTheBytesAreCut) {
  for (size_t cut = 0; cut <= kMany.size(); ++cut) {
    const std::string_view all(kMany);
    EXPECT_EQ(Meaning({all.substr(0, cut), all.substr(cut)}), kManyMean) << cut;
  }
}

TEST(RequestReader, UnderstandsTheSameByteByByte) {
  std::vector<std::string_view> bytes;
  for (size_t i = 0; i < kMany.size(); ++i) bytes.push_back(std::string_view(kMany).substr(i, 1));
  EXPECT_EQ(Meaning(bytes), kManyMean);
}

TEST(RequestReader, UnderstandsAnEmptyChunkedBodyByteByByte) {
  const std::string_view request =
      "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  std::vector<std::string_view> bytes;
  for (size_t i = 0; i < request.size(); ++i) bytes.push_back(request.substr(i, 1));
  EXPECT_EQ(Meaning(bytes), "POST /a []\nend\n");
}

TEST(RequestReader, LimitsAHeadAsAWholeHoweverItComes) {
  const std::string line = "GET /a HTTP/1.1\r\n";
  const std::string header = "X: " + std::string(10'000, 'x') + "\r\n";
  const std::string refused = "431 the head of the request is too large\n";
  EXPECT_EQ(Meaning({line + header + header + header + header + "Host: t\r\n\r\n"}), refused);
  EXPECT_EQ(Meaning({line, header, header, header, header, "Host: t\r\n\r\n"}), refused);
  EXPECT_EQ(Meaning({line, header, header, header, "Host: t\r\n\r\n"}), "GET /a []\nend\n");
}

TEST(RequestReader, LimitsTheFirstLineAsAWholeHoweverItComes) {
  const std::string method(8'300, 'A');
  const std::string rest = " / HTTP/1.1\r\nHost: t\r\n\r\n";
  const std::string refused = "414 the request's first line is too long\n";
  EXPECT_EQ(Meaning({method + rest}), refused);
  EXPECT_EQ(Meaning({method, rest}), refused);
}

TEST(RequestReader, LimitsTrailersHoweverTheyCome) {
  const std::string head = "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  // Just above the limit: what is left of a buffer must not let them pass.
  const std::string trailer = "T: " + std::string((size_t{32} << 10) - 9, 't') + "\r\n";
  const std::string refused = "400 malformed chunk length or chunk end: a line is too long\n";
  EXPECT_EQ(Meaning({head, trailer + "\r\n"}), refused);
  EXPECT_EQ(Meaning({head, trailer, "\r\n"}), refused);
  EXPECT_EQ(Meaning({head, "T: t\r\n\r\n"}), "POST /a []\nend\n");
}

TEST(RequestReader, RefusesEmptyLinesWithoutEnd) {
  std::string lines;
  for (int i = 0; i < 16; ++i) lines += "\r\n";
  const std::string request = "GET /a HTTP/1.1\r\nHost: t\r\n\r\n";
  EXPECT_EQ(Meaning({lines, request, lines, request}), "GET /a []\nGET /a []\nend\n");
  EXPECT_EQ(Meaning({lines, "\r\n", request}), "400 too many empty lines before the request\n");
  EXPECT_EQ(Meaning({lines + "\r\n" + request}), "400 too many empty lines before the request\n");
}

TEST(RequestReader, TakesBodiesAroundEverySizeThatChangesTheirPlace) {
  for (const size_t size :
       {size_t{16'000}, size_t{16'200}, size_t{16'300}, size_t{16'319}, size_t{16'320},
        size_t{16'321}, size_t{16'384}, size_t{18'300}, size_t{18'432}, size_t{18'500},
        size_t{65'536}, size_t{999'999}, size_t{1'000'000}}) {
    const std::string body(size, 'b');
    const std::string request = fmt::format(
        "POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n{}GET /next HTTP/1.1\r\nHost: "
        "t\r\n\r\n",
        size, body);
    EXPECT_TRUE(Meaning({request}) == "POST /a [" + body + "]\nGET /next []\nend\n") << size;
  }
}

TEST(RequestReader, GivesUpMemoryOfARequestThatIsNeverComplete) {
  Pool<Buffer> bodies(4, size_t{1} << 20);
  Budget memory(1'000'000);
  {
    RequestReader reader(kLimits, bodies, memory);
    const std::string request =
        "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 900000\r\n\r\n" + std::string(500'000, 'x');
    ScriptedTransport transport({request}, false);
    Moved::How blocked{};
    EXPECT_EQ(reader.Advance(transport, &blocked), RequestReader::State::kBody);
    EXPECT_EQ(memory.held(), 500'000U);
  }
  EXPECT_EQ(memory.held(), 0U);
}

TEST(RequestReader, SaysContinueOnlyToThoseWhoWait) {
  Pool<Buffer> bodies(4, size_t{1} << 20);
  Budget memory(1'000'000);
  const std::string head =
      "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  for (const bool waits : {true, false}) {
    RequestReader reader(kLimits, bodies, memory);
    const std::string together = head + "hi";
    ScriptedTransport transport(
        waits ? std::vector<std::string_view>{head, "hi"} : std::vector<std::string_view>{together},
        false);
    Moved::How blocked{};
    while (reader.Advance(transport, &blocked) != RequestReader::State::kComplete) {
    }
    EXPECT_EQ(transport.written(), waits ? "HTTP/1.1 100 Continue\r\n\r\n" : "");
  }
}

TEST(RequestReader, HoldsNoMemoryBetweenRequests) {
  Pool<Buffer> bodies(0, 0);
  Budget memory(1'000'000);
  RequestReader reader(kLimits, bodies, memory);
  const std::string request =
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" +
      fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", 70'000, std::string(70'000, 'x'));
  ScriptedTransport transport({request}, false);
  Moved::How blocked{};
  ASSERT_EQ(reader.Advance(transport, &blocked), RequestReader::State::kComplete);
  EXPECT_EQ(memory.held(), 70'000U);
  reader.Next();
  EXPECT_EQ(memory.held(), 0U);
}

}  // namespace
}  // namespace outrigger::http
