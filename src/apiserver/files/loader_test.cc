#include "apiserver/files/loader.h"

#include "apiserver/server.h"
#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::apiserver {
namespace {

using ::testing::HasSubstr;

class LoaderTest : public ::testing::Test {
 protected:
  static Sender To(Server* server) {
    return [server](std::string_view method, const std::string& path, std::string_view type,
                    const std::string& body) -> absl::StatusOr<Sent> {
      http::Request request;
      request.method = method;
      request.path = path;
      request.content_type = type;
      request.body = body;
      http::Response response;
      server->Handle(request, &response);
      return Sent{response.status, Json::parse(response.body, nullptr, false)};
    };
  }
  static std::unique_ptr<Server> NewServer(uint64_t seed) {
    ServerOptions options;
    options.seed = seed;
    auto server = Server::Start(options);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }
  Json Get(const std::string& path) { return To(server_.get())("GET", path, "", "")->body; }

  std::unique_ptr<Server> server_ = NewServer(1);
  Loader loader_{To(server_.get())};
};

Json Parsed(const char* text) {
  return Json::parse(text);
}

TEST_F(LoaderTest, OwnersAndTheirUidsComeFirstWhateverTheOrder) {
  const Json list = Parsed(R"({"kind":"List","apiVersion":"v1","items":[
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop","uid":"u1",
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"u2"}]},
     "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running"}},
    {"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r","namespace":"shop","uid":"u2"},
     "spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
       "spec":{"containers":[{"name":"c","image":"i"}]}}}},
    {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}]})");
  ASSERT_TRUE(loader_.Add(list).ok());
  const auto loaded = loader_.Send();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->created, 3U);
  const Json set = Get("/apis/apps/v1/namespaces/shop/replicasets/r");
  const Json pod = Get("/api/v1/namespaces/shop/pods/p");
  EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], set["metadata"]["uid"]);
  EXPECT_NE(pod["metadata"]["uid"], "u1");
  EXPECT_EQ(pod["status"]["phase"], "Running");
  EXPECT_EQ(pod["spec"]["nodeName"], "n");
}

TEST_F(LoaderTest, WhatTheServerHasNotIsLeftOutByName) {
  ASSERT_TRUE(
      loader_.Add(Parsed(R"({"apiVersion":"x.y/v1","kind":"Thing","metadata":{"name":"t"}})"))
          .ok());
  const auto loaded = loader_.Send();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->notes.size(), 1U);
  EXPECT_THAT(loaded->notes[0],
              HasSubstr("Thing t left out: the server has no kind Thing of x.y/v1"));
}

TEST_F(LoaderTest, AnObjectThatIsRefusedIsNamedWithTheReason) {
  ASSERT_TRUE(
      loader_.Add(Parsed(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"A"}})"))
          .ok());
  const auto loaded = loader_.Send();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("ConfigMap default/A: "));
  EXPECT_FALSE(loader_.Add(Parsed(R"({"metadata":{"name":"a"}})")).ok());
}

TEST_F(LoaderTest, WhatIsSavedLoadsElsewhere) {
  ASSERT_TRUE(loader_
                  .Add(Parsed(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                                  "data":{"k":"v"}})"))
                  .ok());
  ASSERT_TRUE(loader_.Send().ok());
  const auto saved = SaveObjects(To(server_.get()));
  ASSERT_TRUE(saved.ok()) << saved.status();
  const auto other = NewServer(2);
  Loader loader(To(other.get()));
  for (const Json& object : saved->objects) ASSERT_TRUE(loader.Add(object).ok());
  const auto loaded = loader.Send();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto again = SaveObjects(To(other.get()));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->objects.size(), saved->objects.size());
  EXPECT_TRUE(saved->notes.empty());
  const auto map = To(other.get())("GET", "/api/v1/namespaces/default/configmaps/a", "", "");
  EXPECT_EQ(map->body["data"]["k"], "v");
}

TEST_F(LoaderTest, KindsThatCannotBeReadAreNamed) {
  const Sender all = To(server_.get());
  const auto saved = SaveObjects([&](std::string_view method, const std::string& path,
                                     std::string_view type, const std::string& body) {
    if (path != "/api/v1/secrets") return all(method, path, type, body);
    return absl::StatusOr<Sent>(Sent{403, {{"message", "secrets is forbidden"}}});
  });
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_THAT(saved->notes, ::testing::ElementsAre("secrets: secrets is forbidden: left out"));
}

}  // namespace
}  // namespace outrigger::apiserver
