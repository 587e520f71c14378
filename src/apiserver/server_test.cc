#include "apiserver/server.h"

#include <chrono>
#include <thread>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "http/stream.h"

namespace outrigger::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override { StartServer({}); }
  void StartServer(const ServerOptions& options) {
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  http::Response Ask(std::string_view method, const std::string& path, const std::string& body = "",
                     const std::string& fields = "",
                     std::string_view content_type = "application/json") {
    http::Request request;
    request.method = method;
    const size_t query = path.find('?');
    request.path = std::string_view(path).substr(0, query);
    if (query != path.npos) request.query = std::string_view(path).substr(query + 1);
    request.content_type = content_type;
    request.body = body;
    request.fields = fields;
    http::Response response;
    server_->Handle(request, &response);
    return response;
  }
  void Patch(const std::string& name, const std::string& body) {
    const auto patched = Ask("PATCH", maps_ + "/" + name, body, "", "application/merge-patch+json");
    ASSERT_EQ(patched.status, 200) << patched.body;
  }
  void CreateMap(const std::string& name, const std::string& labels = "{}") {
    const auto made =
        Ask("POST", "/api/v1/namespaces/default/configmaps",
            fmt::format(R"({{"metadata":{{"name":"{}","labels":{}}}}})", name, labels));
    ASSERT_EQ(made.status, 201) << made.body;
  }

  /// "ADDED a" of each event that comes within the patience, until there are so many.
  static std::vector<std::string> Events(http::Stream* stream, size_t count) {
    std::string text;
    std::vector<std::string> events;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end && events.size() < count) {
      std::vector<http::Stream::Bytes> pieces;
      const auto state = stream->Take(size_t{1} << 30, &pieces);
      for (const auto& piece : pieces) text += *piece;
      for (size_t line = text.find('\n'); line != text.npos; line = text.find('\n')) {
        const Json event = Json::parse(text.substr(0, line));
        const Json& object = event["object"];
        std::string name = object["metadata"].value("name", "");
        if (object.contains("code")) name = object["code"].dump();
        if (object["metadata"].contains("annotations")) name = "end";
        events.push_back(fmt::format("{} {}", event["type"].get<std::string>(), name));
        text.erase(0, line + 1);
      }
      if (state != http::Stream::State::kOpen && pieces.empty()) break;
      std::this_thread::yield();
    }
    return events;
  }

  std::unique_ptr<Server> server_;
  const std::string maps_ = "/api/v1/namespaces/default/configmaps";
};

TEST_F(ServerTest, WhatAWebPageCouldSendIsRefused) {
  EXPECT_EQ(Ask("GET", "/api/v1/pods", "", "Host:127.0.0.1:55441\n").status, 200);
  EXPECT_EQ(Ask("GET", "/api/v1/pods", "", "Host:localhost:1\n").status, 200);
  EXPECT_EQ(Ask("GET", "/api/v1/pods", "", "Host:[::1]:1\n").status, 200);
  const auto foreign = Ask("GET", "/api/v1/pods", "", "Host:evil.example:55441\n");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_THAT(foreign.body, HasSubstr("use 127.0.0.1 or localhost"));
  EXPECT_EQ(Ask("POST", maps_, "{}", "Host:localhost\nOrigin:http://localhost\n").status, 403);
}

TEST_F(ServerTest, WhatNeedsAContainerIsRefusedByName) {
  const auto log = Ask("GET", "/api/v1/namespaces/default/pods/p/log");
  EXPECT_EQ(log.status, 404);
  EXPECT_THAT(log.body, HasSubstr("pods/log is not served: no container runs in the lab"));
}

// kubectl leaves the items of a List to the server then.
TEST_F(ServerTest, TheOldOpenApiHasNoKinds) {
  const auto document = Ask("GET", "/openapi/v2");
  EXPECT_EQ(document.status, 200);
  EXPECT_TRUE(document.body.empty());
}

TEST_F(ServerTest, AWatchBeginsWithWhatIsThereThenTellsWhatChanges) {
  CreateMap("a");
  const auto watch = Ask("GET", maps_ +
                                    "?watch=true&allowWatchBookmarks=true&sendInitialEvents="
                                    "true&resourceVersionMatch=NotOlderThan");
  ASSERT_NE(watch.stream, nullptr) << watch.body;
  EXPECT_THAT(Events(watch.stream.get(), 2), ElementsAre("ADDED a", "BOOKMARK end"));
  CreateMap("b");
  Ask("DELETE", maps_ + "/a");
  EXPECT_THAT(Events(watch.stream.get(), 2), ElementsAre("ADDED b", "DELETED a"));
}

TEST_F(ServerTest, AnObjectThatLeavesTheSelectionIsDeletedForItsWatcher) {
  CreateMap("a", R"({"x":"y"})");
  CreateMap("b");
  const auto watch = Ask("GET", maps_ + "?watch=true&labelSelector=x%3Dy");
  ASSERT_NE(watch.stream, nullptr) << watch.body;
  EXPECT_THAT(Events(watch.stream.get(), 1), ElementsAre("ADDED a"));
  Patch("a", R"({"metadata":{"labels":{"x":null}}})");
  Patch("b", R"({"metadata":{"labels":{"x":"y"}}})");
  Patch("b", R"({"metadata":{"labels":{"x":"y"}}})");  // no change
  Ask("DELETE", maps_ + "/b");
  EXPECT_THAT(Events(watch.stream.get(), 3), ElementsAre("DELETED a", "ADDED b", "DELETED b"));
}

TEST_F(ServerTest, AWatcherThatReadsNothingCostsNoMoreThanItsBacklog) {
  const auto watch = Ask("GET", maps_ + "?watch=true&resourceVersion=1");
  ASSERT_NE(watch.stream, nullptr) << watch.body;
  const std::string data(100'000, 'x');
  for (int i = 0; i < 60; ++i) {
    const auto made =
        Ask("POST", maps_,
            fmt::format(R"({{"metadata":{{"name":"m{:02}"}},"data":{{"x":"{}"}}}})", i, data));
    ASSERT_EQ(made.status, 201);
  }
  constexpr size_t kFull = size_t{1} << 20;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (watch.stream->backlog() <= kFull && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  // Another one that reads has them all, so they were held back from the first.
  const auto other = Ask("GET", maps_ + "?watch=true&resourceVersion=1");
  ASSERT_NE(other.stream, nullptr) << other.body;
  EXPECT_EQ(Events(other.stream.get(), 60).size(), 60U);
  EXPECT_LT(watch.stream->backlog(), size_t{2} << 20);
  EXPECT_FALSE(watch.stream->closed());
  EXPECT_EQ(Events(watch.stream.get(), 60).size(), 60U) << "once it reads, nothing is lost";
}

TEST_F(ServerTest, AWatchOfAPastThatIsForgottenIsToldSo) {
  ServerOptions options;
  options.past.bytes = 10'000;
  StartServer(options);
  const std::string text(1000, 'x');
  CreateMap("a");
  for (int i = 0; i < 20; ++i) {
    Patch("a", fmt::format(R"({{"data":{{"x":"{}{}"}}}})", text, i));
  }
  const auto watch = Ask("GET", maps_ + "?watch=true&resourceVersion=5");
  ASSERT_NE(watch.stream, nullptr) << watch.body;
  EXPECT_EQ(watch.status, 200);
  EXPECT_THAT(Events(watch.stream.get(), 1), ElementsAre("ERROR 410"));
}

TEST_F(ServerTest, PagesOfAListShowOneState) {
  for (const char* name : {"a", "b", "c"}) CreateMap(name);
  const Json first = Json::parse(Ask("GET", maps_ + "?limit=2").body);
  EXPECT_EQ(first["items"].size(), 2U);
  Ask("DELETE", maps_ + "/c");
  CreateMap("d");
  const std::string next = first["metadata"]["continue"];
  const Json second = Json::parse(Ask("GET", maps_ + "?limit=2&continue=" + next).body);
  ASSERT_EQ(second["items"].size(), 1U);
  EXPECT_EQ(second["items"][0]["metadata"]["name"], "c");
  EXPECT_EQ(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
}

}  // namespace
}  // namespace outrigger::apiserver
