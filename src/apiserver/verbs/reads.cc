#include "apiserver/verbs/verbs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Above what Watches lets wait, by the largest object.
constexpr size_t kMostBacklog = size_t{16} << 20;

// A page begins behind a name, in the list as it was at a version.
std::string ContinueToken(uint64_t version, const ObjectName& after) {
  return absl::WebSafeBase64Escape(fmt::format("{}/{}/{}", version, after.namespace_, after.name));
}

std::optional<Failure> ReadContinue(const std::string& text, uint64_t* version, ObjectName* after) {
  std::string plain;
  std::vector<std::string> parts;
  if (absl::WebSafeBase64Unescape(text, &plain)) parts = absl::StrSplit(plain, '/');
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], version)) {
    return Failure::BadRequest("invalid continue token: continue key is not valid");
  }
  *after = {parts[1], parts[2]};
  return std::nullopt;
}

Failure FromTheFuture(uint64_t asked, uint64_t current) {
  Failure failure{.code = 504,
                  .reason = "Timeout",
                  .message = fmt::format("Timeout: Too large resource version: {}, current: {}",
                                         asked, current)};
  failure.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}};
  failure.retry_after = 1;
  return failure;
}

std::optional<Failure> ReadVersion(const Api& api, const Call& call, uint64_t* version) {
  if (auto failure = call.query.Version(version)) return failure;
  const uint64_t current = api.store->version();
  return *version > current ? std::optional(FromTheFuture(*version, current)) : std::nullopt;
}

// What is listed: the state of the page before, or of a version; or the newest, which is not older
// than any.
std::optional<Failure> ReadState(const Api& api, const Call& call, Listing* listing) {
  const Collection& collection = *call.served->collection;
  uint64_t version = 0;
  ObjectName after;
  if (auto failure = ReadVersion(api, call, &version)) return failure;
  const std::string token = call.query.Text("continue");
  if (token.empty() && call.query.Text("resourceVersionMatch") != "Exact") {
    *listing = api.store->List(collection, call.target.namespace_);
    return std::nullopt;
  }
  if (!token.empty()) {
    if (auto failure = ReadContinue(token, &version, &after)) return failure;
  }
  auto state = api.store->ListAt(collection, call.target.namespace_, version);
  if (!state) {
    return Failure::Expired(
        "The provided resource version or continue parameter is too old: you must start a new list "
        "without it.");
  }
  *listing = *std::move(state);
  std::erase_if(listing->objects, [&](const StoredPtr& object) { return object->name <= after; });
  return std::nullopt;
}

std::optional<Failure> BeginWatch(const Api& api, const Call& call, Selection selection,
                                  Reply* reply) {
  auto watch = std::make_shared<Watch>();
  if (auto failure = ReadVersion(api, call, &watch->at)) return failure;
  watch->face = Face::Of(call);
  watch->initial_ends = call.query.Is("sendInitialEvents");
  if (watch->initial_ends && watch->face.as_table) {
    return Failure::BadRequest("sendInitialEvents is not served for tables: list, then watch");
  }
  // Without a version a watch begins with what is there, as ADDED.
  const bool from_now = watch->initial_ends || watch->at == 0;
  if (from_now) {
    const Listing listing = api.store->List(*call.served->collection, selection.namespace_);
    watch->at = listing.version;
    const bool with_initial = watch->initial_ends || !call.query.Has("sendInitialEvents");
    for (const StoredPtr& object : listing.objects) {
      if (with_initial && selection.Has(*object)) watch->initial.push_back(object);
    }
  }
  watch->selection = std::move(selection);
  watch->bookmarks = call.query.Is("allowWatchBookmarks") && !watch->face.as_table;
  watch->stream = reply->stream = std::make_shared<http::Stream>(kMostBacklog);
  api.watches->Begin(std::move(watch),
                     std::chrono::seconds(call.query.Number("timeoutSeconds").value_or(0)));
  return std::nullopt;
}

}  // namespace

std::optional<Failure> Get(const Api& api, Call* call, Reply* reply) {
  uint64_t version = 0;
  if (auto failure = ReadVersion(api, *call, &version)) return failure;
  const StoredPtr object = api.store->Get(*call->served->collection, call->object_name());
  if (object == nullptr) return Failure::NotFound(call->subject());
  reply->body = Face::Of(*call).Show(object, api.clock.wall());
  return std::nullopt;
}

std::optional<Failure> List(const Api& api, Call* call, Reply* reply) {
  Selection selection;
  if (auto failure = Selection::Read(*call, &selection)) return failure;
  if (call->query.Is("watch")) return BeginWatch(api, *call, std::move(selection), reply);
  Listing listing;
  if (auto failure = ReadState(api, *call, &listing)) return failure;
  std::erase_if(listing.objects, [&](const StoredPtr& one) { return !selection.Has(*one); });
  Json metadata = {{"resourceVersion", std::to_string(listing.version)}};
  const int64_t limit = call->query.Number("limit").value_or(0);
  if (limit > 0 && std::ssize(listing.objects) > limit) {
    listing.objects.resize(static_cast<size_t>(limit));
    metadata["continue"] = ContinueToken(listing.version, listing.objects.back()->name);
  }
  const Face face = Face::Of(*call);
  reply->body = face.as_table ? face.TableOf(listing.objects, metadata, api.clock.wall())
                              : face.ListOf(listing.objects, metadata);
  return std::nullopt;
}

}  // namespace outrigger::apiserver
