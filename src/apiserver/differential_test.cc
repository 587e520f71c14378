// Requests of tests/golden/lab against what a real kube-apiserver answered.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "apiserver/server.h"
#include "fmt/format.h"
#include "http/stream.h"
#include "lab_answers_testing.h"

namespace outrigger::apiserver {
namespace {

using std::filesystem::path;

const path kLabFolder = path(OUTRIGGER_TEST_DATA) / "golden/lab";

std::string ReadLabFile(const path& name) {
  std::ifstream file(name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Where ours may differ: a line of `allowed`.
struct AllowedDifference {
  std::string line;
  std::regex request;  // file/sequence/name
  std::regex at;       // pointer into the answer
  bool used = false;
};

std::vector<AllowedDifference> ReadAllowed() {
  std::vector<AllowedDifference> allowed;
  for (const std::string& line : LinesOf(ReadLabFile(kLabFolder / "allowed"))) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(" | ", 2));
    EXPECT_EQ(parts.size(), 3) << line;
    allowed.push_back({line, std::regex(parts[0]), std::regex(parts[1])});
  }
  return allowed;
}

std::map<std::string, Json> ReadAnswers(const path& name) {
  std::map<std::string, Json> answers;
  for (const std::string& line : LinesOf(ReadLabFile(name))) {
    Json answer = Json::parse(line);
    const std::string request = answer["name"];
    answers[request] = std::move(answer);
  }
  return answers;
}

// What a watch sends: up to that many lines.
Json ReadEvents(http::Stream* stream, size_t count) {
  std::string text;
  auto lines = [&] { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (lines() < count && std::chrono::steady_clock::now() < end) {
    std::vector<http::Stream::Bytes> pieces;
    const auto state = stream->Take(1 << 20, &pieces);
    for (const auto& piece : pieces) text += *piece;
    if (pieces.empty() && state != http::Stream::State::kOpen) break;
    if (pieces.empty()) std::this_thread::yield();
  }
  stream->Close();
  Json events = Json::array();
  for (const std::string& line : LinesOf(text)) {
    if (events.size() < count) events.push_back(Json::parse(line));
  }
  return events;
}

std::string Decoded64(const std::string& text) {
  std::string plain;
  EXPECT_TRUE(absl::Base64Unescape(text, &plain));
  return plain;
}

class Differential : public ::testing::Test {
 protected:
  Differential() : allowed_(ReadAllowed()) {
    ServerOptions options;
    options.controllers = false;  // as where the answers were recorded
    server_ = *Server::Start(options);
  }

  http::Response Send(const LabRequest& request) {
    const size_t question = std::min(request.path.find('?'), request.path.size());
    std::string type = request.Header("Content-Type");
    if (type.empty() && !request.body.empty()) type = "application/json";
    const std::string fields = "Accept:" + request.Header("Accept") + "\n";
    const std::string body = request.body + std::string(http::kBodyPadding, '\0');
    http::Request sent;
    sent.method = request.method;
    sent.path = std::string_view(request.path).substr(0, question);
    if (question < request.path.size()) {
      sent.query = std::string_view(request.path).substr(question + 1);
    }
    sent.content_type = type;
    sent.body = std::string_view(body).substr(0, request.body.size());
    sent.fields = fields;
    http::Response response;
    server_->Handle(sent, &response);
    return response;
  }

  // The answer in the form of a file of answers, before it is normalised.
  Json Ask(const LabRequest& request) {
    http::Response response = Send(request);
    Json answer = {{"code", response.status}, {"contentType", response.content_type}};
    for (const auto& [name, value] : response.headers) {
      if (name == "Warning") answer["warnings"].push_back(value);
      if (name == "Retry-After") answer["retryAfter"] = value;
    }
    const std::string events = request.Header("Events");
    if (!events.empty() && response.stream != nullptr) {
      answer["events"] = ReadEvents(response.stream.get(), std::stoul(events));
      return answer;
    }
    answer["body"] = Json::parse(response.body, nullptr, false);
    if (answer["body"].is_discarded()) answer["body"] = response.body;
    return answer;
  }

  bool IsAllowed(const std::string& request, const std::string& at) {
    bool is_allowed = false;
    for (AllowedDifference& one : allowed_) {
      if (!std::regex_match(request, one.request) || !std::regex_match(at, one.at)) continue;
      one.used = true;
      is_allowed = true;
    }
    return is_allowed;
  }

  void Compare(const std::string& name, const Json& recorded, const Json& ours) {
    ++requests_;
    std::string refused;
    const auto differences = DifferencesOf(recorded, ours);
    for (const auto& [at, text] : differences) {
      if (!IsAllowed(name, at)) refused += fmt::format("\n  {}: {}", at, text);
    }
    if (differences.empty()) ++equal_;
    EXPECT_TRUE(refused.empty()) << name << refused;
  }

  void Play(const std::string& subject) {
    std::map<std::string, Json> real = ReadAnswers(kLabFolder / (subject + ".answers"));
    std::string sequence;
    std::map<std::string, Json> earlier;
    NormalAnswers normal;
    for (LabRequest request : ParseLabRequests(ReadLabFile(kLabFolder / (subject + ".http")))) {
      const size_t slash = request.name.find('/');
      if (const std::string now = request.name.substr(0, slash); now != sequence) {
        sequence = now;
        earlier = {{"ns", subject + "-" + sequence}};
        normal = NormalAnswers();
        BeginNamespace(earlier["ns"]);
      }
      Json recorded = real[request.name];
      request.path = FillPlaceholders(request.path, earlier);
      request.body = FillPlaceholders(request.body, earlier);
      if (recorded.contains("request")) request.body = Decoded64(recorded["request"]);
      recorded.erase("request");
      Json ours = Ask(request);
      earlier[request.name.substr(slash + 1)] = ours.value("body", Json());
      ours["name"] = request.name;
      Compare(subject + "/" + request.name, recorded, normal.Of(std::move(ours)));
    }
  }

  void BeginNamespace(const std::string& name) {
    const LabRequest create = {.method = "POST",
                               .path = "/api/v1/namespaces",
                               .body = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)};
    EXPECT_EQ(Send(create).status, 201) << name;
  }

  std::unique_ptr<Server> server_;
  std::vector<AllowedDifference> allowed_;
  size_t requests_ = 0;
  size_t equal_ = 0;
};

TEST_F(Differential, AnswersAreThoseOfTheRealServer) {
  std::set<std::string> subjects;
  for (const auto& file : std::filesystem::directory_iterator(kLabFolder)) {
    if (file.path().extension() == ".http") subjects.insert(file.path().stem());
  }
  for (const std::string& subject : subjects) Play(subject);
  EXPECT_GE(requests_, 400);
  for (const AllowedDifference& one : allowed_) {
    EXPECT_TRUE(one.used) << "nothing differs as this line of `allowed` says: " << one.line;
  }
  fmt::print("{} requests, {} with equal answers\n", requests_, equal_);
}

}  // namespace
}  // namespace outrigger::apiserver
