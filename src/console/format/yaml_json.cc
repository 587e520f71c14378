#include "console/format/yaml_json.h"

#include <exception>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "codec/json/text.h"
#include "console/format/text.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_scalar.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/eventhandler.h"

namespace outrigger::cli {
namespace {

constexpr size_t kMostAliased = size_t{16} << 20U;

[[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& what) {
  throw YAML::ParserException(mark, what);
}

// Writes events as JSON. Errors are thrown, as yaml-cpp's are.
class JsonWriter final : public YAML::EventHandler {
 public:
  /// The JSON of the last document; "null" if it was empty.
  std::string* json() { return &out_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    starts_.Check(mark);
    out_.clear();
    anchors_.clear();
    open_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (AtKey()) Refuse(mark, "a key is missing");
    Begin();
    out_ += "null";
    End(anchor, out_.size() - 4);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (AtKey()) Refuse(mark, "a key must be a plain word, not an alias");
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) Refuse(mark, "an alias of a key, or of what it is part of");
    const auto [begin, size] = named->second;
    aliased_ += size;
    if (aliased_ > kMostAliased) Refuse(mark, "aliases make the document larger than 16 MiB");
    Begin();
    const std::string copy = out_.substr(begin, size);
    out_ += copy;
    End(YAML::NullAnchor, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (AtKey()) return WriteKey(mark, tag, value);
    Begin();
    const size_t begin = out_.size();
    const ScalarForm form = FormOf(tag, value);
    if (form.kind == ScalarForm::Kind::kImpossible) {
      Refuse(mark,
             fmt::format("{} is a number that JSON cannot represent; quote it if it is a string",
                         value));
    }
    if (form.kind == ScalarForm::Kind::kText) {
      json::AppendString(value, &out_);
    } else {
      out_ += form.json;
    }
    End(anchor, begin);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, '[', anchor);
  }
  void OnSequenceEnd() override { Close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, '{', anchor);
  }
  void OnMapEnd() override { Close('}'); }

 private:
  struct Collection {
    bool is_map = false;
    bool at_key = false;
    bool empty = true;
    YAML::anchor_t anchor = YAML::NullAnchor;
    size_t begin = 0;
  };

  bool AtKey() const { return !open_.empty() && open_.back().at_key; }

  // Before a value.
  void Begin() {
    if (open_.empty()) return;
    Collection& in = open_.back();
    if (!in.is_map && !in.empty) out_ += ',';
    in.empty = false;
  }

  // Behind a value that began at `begin`.
  void End(YAML::anchor_t anchor, size_t begin) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {begin, out_.size() - begin};
    if (!open_.empty()) open_.back().at_key = open_.back().is_map;
  }

  void WriteKey(const YAML::Mark& mark, const std::string& tag, const std::string& key) {
    if (tag == "?" && key == "<<") {
      Refuse(mark, "merge keys (<<) are not supported; write out their content");
    }
    Collection& in = open_.back();
    if (!in.empty) out_ += ',';
    in.empty = false;
    in.at_key = false;
    json::AppendString(key, &out_);
    out_ += ':';
  }

  void Open(const YAML::Mark& mark, char bracket, YAML::anchor_t anchor) {
    if (AtKey()) Refuse(mark, "a key must be a plain word");
    Begin();
    const bool is_map = bracket == '{';
    open_.push_back({is_map, is_map, true, anchor, out_.size()});
    out_ += bracket;
  }

  void Close(char bracket) {
    out_ += bracket;
    const Collection closed = open_.back();
    open_.pop_back();
    End(closed.anchor, closed.begin);
  }

  DocumentStarts starts_;
  std::string out_;
  std::vector<Collection> open_;
  // Where in out_ the JSON of an anchor is: from, size.
  std::map<YAML::anchor_t, std::pair<size_t, size_t>> anchors_;
  size_t aliased_ = 0;  // of all documents
};

}  // namespace

absl::Status ForEachYamlDocument(std::string_view name, const std::string& text,
                                 absl::FunctionRef<absl::Status(std::string* json)> on_document) {
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    std::istringstream input(text);
    YAML::Parser parser(input);
    JsonWriter writer;
    while (parser.HandleNextDocument(writer)) {
      if (*writer.json() == "null") continue;
      absl::Status status = on_document(writer.json());
      if (!status.ok()) return status;
    }
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "{}:{}:{}: not YAML: {}", name, error.mark.line + 1, error.mark.column + 1, error.msg)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", name, error.what())));
  }
  return absl::OkStatus();
}

}  // namespace outrigger::cli
