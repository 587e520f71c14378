#include "apiserver/verbs/reads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "apiserver/verbs/options.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Above what Watches lets wait, by the largest object.
constexpr size_t kMostBacklog = size_t{16} << 20;

// A page begins behind a name, in the list as it was at a version.
struct Continuation {
  uint64_t version = 0;
  ObjectName after;
};

std::string ContinueToken(const Continuation& at) {
  const Json token = {{"v", "meta.k8s.io/v1"},
                      {"rv", at.version},
                      {"start", at.after.namespace_ + "/" + at.after.name}};
  return absl::WebSafeBase64Escape(token.dump());
}

std::optional<Failure> ReadContinue(const std::string& text, Continuation* at) {
  std::string plain;
  Json token;
  if (absl::WebSafeBase64Unescape(text, &plain)) token = Json::parse(plain, nullptr, false);
  const bool is_token = token.is_object() && token.contains("rv") && token.contains("start") &&
                        token["rv"].is_number_unsigned() && token["start"].is_string();
  const std::string start = is_token ? token["start"].get<std::string>() : "";
  const size_t slash = start.find('/');
  if (slash == start.npos) {
    return Failure::BadRequest("invalid continue token: continue key is not valid");
  }
  at->version = token["rv"];
  at->after = {start.substr(0, slash), start.substr(slash + 1)};
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

Json ListMetadata(uint64_t version, const std::string& next, int64_t remaining) {
  Json metadata = {{"resourceVersion", std::to_string(version)}};
  if (next.empty()) return metadata;
  metadata["continue"] = next;
  if (remaining > 0) metadata["remainingItemCount"] = remaining;
  return metadata;
}

}  // namespace

Accepted ReadAccept(std::string_view header) {
  Accepted accepted;
  if (header.empty()) return accepted;
  accepted.as_table = header.find("as=Table") != header.npos;
  accepted.json = false;
  for (const char* type : {"application/json", "application/vnd.kubernetes.protobuf",
                           "application/yaml", "*/*", "application/*"}) {
    accepted.json |= header.find(type) != header.npos;
  }
  return accepted;
}

std::optional<Failure> ReadSelection(const Call& call, Selection* selection) {
  selection->namespace_ = call.target.namespace_;
  const Served& served = *call.served;
  return Selector::Parse(
      call.query.Text("labelSelector"), call.query.Text("fieldSelector"), served.group, served.kind,
      served.custom == nullptr ? nullptr : &served.custom->selectable_fields, &selection->selector);
}

std::string Reads::ObjectText(const Call& call, const Stored& object) const {
  const Face face{call.served, ReadAccept(call.http.Header("Accept")).as_table,
                  call.query.Text("includeObject")};
  if (!face.as_table) return face.TextOf(object);
  const auto shared = std::make_shared<Stored>(object);
  return face.TableOf({shared}, {{"resourceVersion", std::to_string(object.version)}}, true,
                      clock_.wall());
}

std::optional<Failure> Reads::Get(const Call& call, Reply* reply) const {
  uint64_t version = 0;
  if (auto failure = apiserver::ReadVersion(call.query, &version)) return failure;
  const uint64_t current = store_->version();
  if (version > current) return FromTheFuture(version, current);
  const StoredPtr object = store_->Get(*call.served->collection, call.object_name());
  if (object == nullptr) return Failure::NotFound(call.subject());
  reply->body = ObjectText(call, *object);
  return std::nullopt;
}

// Which state is listed: a given one exactly, or the newest, which is not older than any.
std::optional<Failure> Reads::ReadVersion(const Call& call, Listing* listing) const {
  const Collection& collection = *call.served->collection;
  uint64_t version = 0;
  if (auto failure = apiserver::ReadVersion(call.query, &version)) {
    return Failure::BadRequest("invalid resource version: " + failure->message);
  }
  const std::string match = call.query.Text("resourceVersionMatch");
  if (match == "Exact") {
    auto at = store_->ListAt(collection, call.target.namespace_, version);
    if (!at && version > store_->version()) return FromTheFuture(version, store_->version());
    if (!at) {
      return Failure::Expired("The provided resource version is too old to be listed.");
    }
    *listing = std::move(*at);
    return std::nullopt;
  }
  *listing = store_->List(collection, call.target.namespace_);
  if (version > listing->version) return FromTheFuture(version, listing->version);
  return std::nullopt;
}

std::optional<Failure> Reads::ListPage(const Call& call, const Selection& selection,
                                       Reply* reply) const {
  Listing listing;
  const std::string token = call.query.Text("continue");
  Continuation from;
  if (token.empty()) {
    if (auto failure = ReadVersion(call, &listing)) return failure;
  } else {
    if (auto failure = ReadContinue(token, &from)) return failure;
    const std::string version = call.query.Text("resourceVersion");
    if (!version.empty() && version != "0") {
      return Failure::BadRequest("specifying resource version is not allowed when using continue");
    }
    auto at = store_->ListAt(*call.served->collection, call.target.namespace_, from.version);
    if (!at) {
      return Failure::Expired(
          "The provided continue parameter is too old to display a consistent list result. You "
          "must start a new list without the continue parameter.");
    }
    listing = std::move(*at);
    std::erase_if(listing.objects,
                  [&](const StoredPtr& object) { return object->name <= from.after; });
  }
  std::erase_if(listing.objects, [&](const StoredPtr& one) { return !selection.Has(*one); });
  const auto limit =
      static_cast<size_t>(std::max<int64_t>(call.query.Number("limit").value_or(0), 0));
  std::string next;
  int64_t remaining = 0;
  if (limit > 0 && listing.objects.size() > limit) {
    remaining = static_cast<int64_t>(listing.objects.size() - limit);
    listing.objects.resize(limit);
    next = ContinueToken({listing.version, listing.objects.back()->name});
    // Upstream does not know how many of a selection there are.
    if (!call.query.Text("labelSelector").empty() || !call.query.Text("fieldSelector").empty()) {
      remaining = 0;
    }
  }
  const Json metadata = ListMetadata(listing.version, next, remaining);
  const Face face{call.served, ReadAccept(call.http.Header("Accept")).as_table,
                  call.query.Has("includeObject") ? call.query.Text("includeObject") : "Metadata"};
  reply->body = face.as_table
                    ? face.TableOf(listing.objects, metadata, /*with_columns=*/true, clock_.wall())
                    : face.ListOf(listing.objects, metadata);
  return std::nullopt;
}

std::optional<Failure> Reads::List(const Call& call, Reply* reply) const {
  Selection selection;
  if (auto failure = CheckNumbers(call.query)) return failure;
  if (auto failure = CheckListOptions(call.query)) return failure;
  if (auto failure = ReadSelection(call, &selection)) return failure;
  if (call.query.Is("watch")) return Watch(call, std::move(selection), reply);
  return ListPage(call, selection, reply);
}

std::optional<Failure> Reads::Watch(const Call& call, Selection selection, Reply* reply) const {
  uint64_t version = 0;
  if (auto failure = apiserver::ReadVersion(call.query, &version)) return failure;
  const bool with_initial = call.query.Is("sendInitialEvents");
  WatchRequest request;
  request.face = {call.served, ReadAccept(call.http.Header("Accept")).as_table,
                  call.query.Has("includeObject") ? call.query.Text("includeObject") : "Metadata"};
  const Listing listing = store_->List(*call.served->collection, selection.namespace_);
  if (version > listing.version) return FromTheFuture(version, listing.version);
  // Without a version a watch begins with what is there, as ADDED.
  const bool from_now = with_initial || version == 0;
  request.after = from_now ? listing.version : version;
  if (from_now && (with_initial || !call.query.Has("sendInitialEvents"))) {
    for (const StoredPtr& object : listing.objects) {
      if (selection.Has(*object)) request.initial.push_back(object);
    }
  }
  request.initial_ends = with_initial;
  request.bookmarks = call.query.Is("allowWatchBookmarks");
  request.selection = std::move(selection);
  if (const auto seconds = call.query.Number("timeoutSeconds"); seconds && *seconds > 0) {
    request.timeout = std::chrono::seconds(*seconds);
  }
  request.stream = reply->stream = std::make_shared<http::Stream>(kMostBacklog);
  watches_->Begin(std::move(request));
  return std::nullopt;
}

}  // namespace outrigger::apiserver
