#include "rule/state_text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "pods/pod_type.h"
#include "rule/experience.h"

namespace outrigger::reward {
namespace {

constexpr std::string_view kHead = "outrigger-reward ";
constexpr int64_t kVersion = 2;
constexpr int64_t kWithoutNamespaces = 1;
constexpr size_t kMostFindings = 10;
constexpr size_t kMostShown = 80;
constexpr double kMostAmount = 1e12;
constexpr size_t kLongestFigures = 64;    // "on", number and two amounts
constexpr size_t kLongestAge = 12;        // with its comma
constexpr size_t kLongestEnd = 40;        // "ended", age and number
constexpr size_t kMostNodes = 1'000'000;  // of a text that anybody wrote

// ---- Writing ----

struct Row {
  std::string_view type;
  std::string_view node;
  Experience::Pair pair;
};

// Takes the most used rows that have room, with the lines of their types and nodes.
size_t CountRowsWithRoom(const std::vector<Row>& rows, size_t room) {
  std::unordered_set<std::string_view> types;
  std::unordered_set<std::string_view> nodes;
  size_t used = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    used += kLongestFigures + row.pair.failed_at.size() * kLongestAge;
    if (types.insert(row.type).second) used += kLongestFigures + row.type.size();
    if (nodes.insert(row.node).second) used += row.node.size() + sizeof("node \n");
    if (used > room) return i;
  }
  return rows.size();
}

std::vector<Row> RowsOf(const Experience& experience, Seconds time, size_t room, size_t* left_out) {
  std::vector<Row> rows;
  rows.reserve(experience.pairs());
  experience.ForEachPair(
      time, [&](const std::string& type, const std::string& node, Experience::Pair pair) {
        rows.push_back({type, node, std::move(pair)});
      });
  // By name where they are used alike, so that the text does not depend on hashes.
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    if (IsMoreUsed(a.pair.sums, b.pair.sums)) return true;
    if (IsMoreUsed(b.pair.sums, a.pair.sums)) return false;
    return a.type != b.type ? a.type < b.type : a.node < b.node;
  });
  const size_t kept = CountRowsWithRoom(rows, room);
  if (left_out != nullptr) *left_out = rows.size() - kept;
  rows.resize(kept);
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return a.type != b.type ? a.type < b.type : a.node < b.node;
  });
  return rows;
}

void WriteAges(const std::vector<Seconds>& times, Seconds now, std::string* text) {
  char separator = ' ';
  for (const Seconds time : times) {
    fmt::format_to(std::back_inserter(*text), "{}{}", separator, std::max<Seconds>(0, now - time));
    separator = ',';
  }
}

void WriteRows(const std::vector<Row>& rows, const Experience& experience, Seconds time,
               std::string* text) {
  std::unordered_map<std::string_view, size_t> numbers;
  for (const Row& row : rows) {
    if (!numbers.try_emplace(row.node, numbers.size()).second) continue;
    fmt::format_to(std::back_inserter(*text), "node {}\n", row.node);
  }
  std::string_view type;
  for (const Row& row : rows) {
    if (row.type != type) {
      type = row.type;
      const Sums all = experience.All(type, time);
      fmt::format_to(std::back_inserter(*text), "type {} {:.6g} {:.6g}\n", type, all.successes,
                     all.failures);
    }
    fmt::format_to(std::back_inserter(*text), "on {} {:.6g} {:.6g}", numbers[row.node],
                   row.pair.sums.successes, row.pair.sums.failures);
    WriteAges(row.pair.failed_at, time, text);
    text->push_back('\n');
  }
}

// The horizon of what is not written any more would be lost: none is left out but for room.
void WriteEnds(const CountedEnds& counted, Seconds time, size_t most_bytes, std::string* text) {
  std::vector<std::pair<Seconds, uint64_t>> ends;
  counted.ForEach([&](uint64_t key, Seconds at) { ends.emplace_back(at, key); });
  std::ranges::sort(ends, std::greater<>());
  for (const auto& [at, key] : ends) {
    if (text->size() + kLongestEnd > most_bytes) return;
    fmt::format_to(std::back_inserter(*text), "ended {} {:016x}\n", time - at, key);
  }
}

// ---- Reading ----

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> Amount(std::string_view text) {
  const auto value = Number<double>(text);
  if (!value || !(*value >= 0 && *value <= kMostAmount)) return std::nullopt;
  return value;
}

std::vector<std::string_view> Words(std::string_view line, char separator) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(separator), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

class Reader {
 public:
  Reader(Seconds now, const Rule& rule) : now_(now), read_(rule) {}

  StateRead Read(std::string_view text) &&;

 private:
  using Fields = std::vector<std::string_view>;

  void Find(std::string text);
  bool ReadHead(std::string_view line);        // false: what follows is not to be read
  std::string ReadLine(const Fields& fields);  // what is wrong; empty: nothing
  std::string ReadTime(const Fields& fields);
  std::string ReadNode(const Fields& fields);
  std::string ReadType(const Fields& fields);
  std::string ReadPair(const Fields& fields);
  std::string ReadEnd(const Fields& fields);
  bool ReadAges(std::string_view text, std::vector<Seconds>* times) const;
  void SetTypes();

  const Seconds now_;
  StateRead read_;
  int64_t line_ = 0;
  std::vector<std::string> nodes_;
  std::string type_;  // empty: the line of the type could not be used
  NameMap<Sums> types_;
};

void Reader::Find(std::string text) {
  ++read_.unusable;
  if (read_.findings.size() < kMostFindings) read_.findings.push_back({line_, std::move(text)});
}

StateRead Reader::Read(std::string_view text) && {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_;
    if (line_ == 1) {
      if (!ReadHead(line)) return std::move(read_);
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    const std::string wrong = ReadLine(Words(line, ' '));
    if (wrong.empty()) continue;
    Find(fmt::format("{}: \"{}\"", wrong, Printable(Shortened(line, kMostShown))));
  }
  SetTypes();
  if (read_.state.time != 0) {
    read_.state.counted.SetHorizon(read_.state.time - CountedEnds::kKept);
  }
  return std::move(read_);
}

bool Reader::ReadHead(std::string_view line) {
  const auto version =
      line.starts_with(kHead) ? Number<int64_t>(line.substr(kHead.size())) : std::nullopt;
  if (version == kVersion) return true;
  line_ = 0;
  if (version == kWithoutNamespaces) {
    Find(
        "it is of version 1, whose types have no namespace: it is left out, and what pods still "
        "show is counted again");
    return false;
  }
  Find(version ? fmt::format("it is of version {}, and this program writes version {}: lines that "
                             "are the same in both are used",
                             *version, kVersion)
               : fmt::format("it does not begin with \"{}{}\"", kHead, kVersion));
  line_ = 1;
  return true;
}

std::string Reader::ReadLine(const Fields& fields) {
  if (fields[0] == "time") return ReadTime(fields);
  if (read_.state.time == 0) {
    read_.state.time = now_;
    Find("the time is missing: what follows is taken as of now");
  }
  if (fields[0] == "node") return ReadNode(fields);
  if (fields[0] == "type") return ReadType(fields);
  if (fields[0] == "on") return ReadPair(fields);
  if (fields[0] == "ended") return ReadEnd(fields);
  return "not known";
}

std::string Reader::ReadTime(const Fields& fields) {
  const auto time = fields.size() == 2 ? Number<Seconds>(fields[1]) : std::nullopt;
  if (!time || *time < 0) return "not a time";
  if (read_.state.time != 0) return "not where it belongs";
  read_.state.time = std::min(*time, now_);
  if (*time > now_) return "later than now";
  return "";
}

std::string Reader::ReadNode(const Fields& fields) {
  if (nodes_.size() >= kMostNodes) return "too many nodes";
  const bool is_name = fields.size() == 2 && IsName(fields[1]);
  nodes_.emplace_back(is_name ? fields[1] : "");  // the numbers of the others stay
  return is_name ? "" : "not the name of a node";
}

std::string Reader::ReadType(const Fields& fields) {
  type_.clear();
  if (fields.size() != 5) return "not a type and two amounts";
  std::string type = fmt::format("{} {}", fields[1], fields[2]);
  if (!IsType(type)) return "not a type and two amounts";
  const auto successes = Amount(fields[3]);
  const auto failures = Amount(fields[4]);
  if (!successes || !failures) return "not an amount";
  type_ = std::move(type);
  types_[type_] = {*successes, *failures};
  return "";
}

std::string Reader::ReadPair(const Fields& fields) {
  if (fields.size() != 4 && fields.size() != 5) return "not a node, two amounts and ages";
  if (type_.empty()) return "without a type";
  const auto number = Number<size_t>(fields[1]);
  if (!number || *number >= nodes_.size() || nodes_[*number].empty()) return "no such node";
  const auto successes = Amount(fields[2]);
  const auto failures = Amount(fields[3]);
  Experience::Pair pair;
  if (!successes || !failures) return "not an amount";
  if (fields.size() == 5 && !ReadAges(fields[4], &pair.failed_at)) return "not ages";
  pair.sums = {*successes, *failures};
  read_.state.experience.SetPair(type_, nodes_[*number], pair, read_.state.time);
  return "";
}

bool Reader::ReadAges(std::string_view text, std::vector<Seconds>* times) const {
  for (const std::string_view word : Words(text, ',')) {
    const auto age = Number<Seconds>(word);
    if (!age || *age < 0 || *age > read_.state.time) return false;
    times->push_back(read_.state.time - *age);
  }
  std::ranges::sort(*times, std::greater<>());
  if (times->size() > Experience::kRemembered) times->resize(Experience::kRemembered);
  return true;
}

std::string Reader::ReadEnd(const Fields& fields) {
  const auto age = fields.size() == 3 ? Number<Seconds>(fields[1]) : std::nullopt;
  uint64_t key = 0;
  constexpr Seconds kMostAge = Seconds{1} << 40;
  if (!age || *age > kMostAge || *age < -kMostAge) return "not an end";
  const std::string_view hex = fields[2];
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), key, 16);
  if (error != std::errc() || end != hex.data() + hex.size()) return "not an end";
  read_.state.counted.Add(key, read_.state.time - *age);
  return "";
}

// After the pairs, whose sums they cannot be below.
void Reader::SetTypes() {
  for (const auto& [type, all] : types_) {
    read_.state.experience.SetType(type, all, read_.state.time);
  }
}

}  // namespace

std::string WriteState(Seconds time, const Experience& experience, const CountedEnds& counted,
                       size_t most_bytes, size_t* left_out) {
  std::string text = fmt::format("{}{}\ntime {}\n", kHead, kVersion, time);
  const size_t for_ends = std::min(counted.size() * kLongestEnd, most_bytes / 3);
  const size_t reserved = text.size() + for_ends;
  const size_t room = most_bytes > reserved ? most_bytes - reserved : 0;
  WriteRows(RowsOf(experience, time, room, left_out), experience, time, &text);
  WriteEnds(counted, time, most_bytes, &text);
  return text;
}

StateRead ReadState(std::string_view text, Seconds now, const Rule& rule) {
  return Reader(now, rule).Read(text);
}

}  // namespace outrigger::reward
