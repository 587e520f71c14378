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

struct RefusedBody {
  const char* name;
  const char* path;
  const char* body;
  const char* says;
};

class RefusedByTheServer : public ServerTest, public ::testing::WithParamInterface<RefusedBody> {};

TEST_P(RefusedByTheServer, SaysWhy) {
  const auto answer = Ask("POST", GetParam().path, GetParam().body);
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedByTheServer,
    ::testing::Values(
        RefusedBody{"IndexedJobWithoutCompletions", "/apis/batch/v1/namespaces/default/jobs",
                    R"({"metadata":{"name":"j"},"spec":{"completionMode":"Indexed",
                        "parallelism":3,"template":{"spec":{"restartPolicy":"Never",
                        "containers":[{"name":"c","image":"i"}]}}}})",
                    "when completion mode is Indexed"},
        RefusedBody{
            "JobWhoseNameIsNoLabel", "/apis/batch/v1/namespaces/default/jobs",
            R"({"metadata":{"name":"jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"},
                        "spec":{"template":{"spec":{"restartPolicy":"Never",
                        "containers":[{"name":"c","image":"i"}]}}}})",
            "is no label value"}),
    [](const auto& row) { return row.param.name; });

TEST_F(ServerTest, ScaleTakesNoMoreThanFitsIntoItsType) {
  const std::string sets = "/apis/apps/v1/namespaces/default/replicasets";
  ASSERT_EQ(Ask("POST", sets, R"({"metadata":{"name":"s"},"spec":{"replicas":0,
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                .status,
            201);
  const auto refused = Ask("PATCH", sets + "/s/scale", R"({"spec":{"replicas":3000000000}})", "",
                           "application/merge-patch+json");
  EXPECT_EQ(refused.status, 400) << refused.body;
}

TEST_F(ServerTest, SecretsAreWrittenInClearOnUpdatesToo) {
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  ASSERT_EQ(Ask("POST", secrets, R"({"metadata":{"name":"s"},"data":{"a":"eA=="}})").status, 201);
  const auto patched = Ask("PATCH", secrets + "/s", R"({"stringData":{"a":"b"}})", "",
                           "application/merge-patch+json");
  EXPECT_EQ(patched.status, 200) << patched.body;
  const Json secret = Json::parse(Ask("GET", secrets + "/s").body);
  EXPECT_EQ(secret["data"]["a"], "Yg==");
  EXPECT_FALSE(secret.contains("stringData"));
}

// A status that a writer knows nothing of stays.
TEST_F(ServerTest, AStatusWithoutAQosClassKeepsIt) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  ASSERT_EQ(Ask("POST", pods, R"({"metadata":{"name":"p"},
                "spec":{"containers":[{"name":"c","image":"i"}]}})")
                .status,
            201);
  Json pod = Json::parse(Ask("GET", pods + "/p").body);
  pod["status"] = {{"phase", "Running"}};
  EXPECT_EQ(Ask("PUT", pods + "/p/status", pod.dump()).status, 200);
  EXPECT_EQ(Json::parse(Ask("GET", pods + "/p").body)["status"]["qosClass"], "BestEffort");
}

TEST_F(ServerTest, OddBytesAreNoFaultOfTheServer) {
  EXPECT_EQ(Ask("GET", maps_ + "/%ff").status, 404);
  EXPECT_EQ(Ask("GET", maps_ + "?labelSelector=%ff%28").status, 400);
  const auto made = Ask("POST", maps_, R"({"metadata":{"name":"a"},"\u007f":1})");
  EXPECT_EQ(made.status, 201);
  for (const auto& [name, value] : made.headers) {
    EXPECT_EQ(value.find('\x7f'), value.npos) << name;
  }
}

// Its objects and those of the kinds of the server are never the same.
TEST_F(ServerTest, ADefinitionTakesNoNameOfABuiltInKind) {
  const auto define = [](const std::string& plural, const std::string& group,
                         const std::string& kind) {
    return fmt::format(
        R"({{"metadata":{{"name":"{0}.{1}"}},"spec":{{"group":"{1}","scope":"Namespaced",
            "names":{{"plural":"{0}","kind":"{2}"}},"versions":[{{"name":"v1","served":true,
            "storage":true,"schema":{{"openAPIV3Schema":{{"type":"object",
            "x-kubernetes-preserve-unknown-fields":true}}}}}}]}}}})",
        plural, group, kind);
  };
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  ASSERT_EQ(Ask("POST", leases, R"({"metadata":{"name":"l"}})").status, 201);
  Ask("POST", definitions, define("leases", "coordination.k8s.io", "Mine"));
  Ask("DELETE", definitions + "/leases.coordination.k8s.io");
  EXPECT_EQ(Ask("GET", leases + "/l").status, 200);
  ASSERT_EQ(Ask("POST", definitions, define("events", "example.com", "Event")).status, 201);
  const std::string events = "/apis/example.com/v1/namespaces/default/events";
  EXPECT_EQ(Ask("POST", events,
                R"({"apiVersion":"example.com/v1","kind":"Event","metadata":{"name":"e"},
                    "reportingComponent":5})")
                .status,
            201);
  EXPECT_EQ(Ask("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e").status, 404);
  const auto gone =
      Ask("DELETE", definitions + "/events.example.com", R"({"propagationPolicy":"Foreground"})");
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(Ask("GET", events).status, 404) << "whatever propagation was asked for";
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
