#include "apiserver/select/json_path.h"

#include <utility>

#include "apiserver/select/field_path.h"
#include "re2/re2.h"

namespace outrigger::apiserver {
namespace {

// The forms that a step has.
struct StepForms {
  RE2 each{R"(\.\*|\.?\[\*\])"};
  RE2 member{R"(\.((?:[^.\[\\]|\\.)+))"};
  RE2 quoted{R"re(\.?\[(?:'([^']*)'|"([^"]*)")\])re"};
  RE2 index{R"(\.?\[(-?\d{1,9})\])"};
  RE2 where{R"(\.?\[\?\(\s*@\.([^=\s]+)\s*==\s*(.*?)\s*\)\])"};
};

}  // namespace

bool JsonPath::Read(std::string_view* text, Step* step) {
  static const auto* const forms = new StepForms;
  re2::StringPiece rest(text->data(), text->size());
  std::string other;
  if (RE2::Consume(&rest, forms->each)) {
    step->kind = Step::Kind::kEach;
  } else if (RE2::Consume(&rest, forms->member, &step->name)) {
    step->kind = Step::Kind::kMember;
    RE2::GlobalReplace(&step->name, R"(\\(.))", R"(\1)");
  } else if (RE2::Consume(&rest, forms->quoted, &step->name, &other)) {
    step->kind = Step::Kind::kMember;
    step->name += other;
  } else if (RE2::Consume(&rest, forms->index, &step->index)) {
    step->kind = Step::Kind::kIndex;
  } else if (RE2::Consume(&rest, forms->where, &step->name, &other)) {
    step->kind = Step::Kind::kWhere;
    if (other.size() > 1 && other.front() == '\'' && other.back() == '\'') {
      step->value = other.substr(1, other.size() - 2);
    } else {
      step->value = Json::parse(other, nullptr, /*allow_exceptions=*/false);
    }
  } else {
    return false;
  }
  text->remove_prefix(text->size() - rest.size());
  return !step->value.is_discarded();
}

bool JsonPath::Parse(std::string_view text) {
  steps_.clear();
  readable_ = !text.empty();
  if (text == ".") text = "";
  while (readable_ && !text.empty()) readable_ = Read(&text, &steps_.emplace_back());
  return readable_;
}

std::vector<const Json*> JsonPath::Find(const Json& object) const {
  if (!readable_) return {};
  std::vector<const Json*> found = {&object};
  for (const Step& step : steps_) {
    std::vector<const Json*> next;
    for (const Json* value : found) Walk(step, *value, &next);
    found = std::move(next);
  }
  std::erase_if(found, [](const Json* value) { return value->is_null(); });
  return found;
}

void JsonPath::Walk(const Step& step, const Json& value, std::vector<const Json*>* found) {
  if (step.kind == Step::Kind::kMember) {
    const auto member = value.find(step.name);
    if (member != value.end()) found->push_back(&*member);
  } else if (step.kind == Step::Kind::kIndex) {
    const auto size = static_cast<int64_t>(value.is_array() ? value.size() : 0);
    const int64_t index = step.index < 0 ? step.index + size : step.index;
    if (index >= 0 && index < size) found->push_back(&value[static_cast<size_t>(index)]);
  } else if (value.is_structured()) {
    for (const Json& item : value) {
      const Json* const compared = ValueAt(item, step.name);
      const bool fits = compared != nullptr && *compared == step.value;
      if (step.kind == Step::Kind::kEach || fits) found->push_back(&item);
    }
  }
}

}  // namespace outrigger::apiserver
