#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penalty/classes/journal_maps.h"
#include "penalty/classes/time.h"

// A key of the journal as lines "name=value", the last of them a checksum, which shows that
// the text was edited.

namespace outrigger::penalty {

/// A checksum of a text under its key (32-bit FNV-1a), 8 hexadecimal digits. Any change of one byte
/// changes it.
std::string CheckOf(std::string_view key, std::string_view text);

/// Writes one key.
class RecordWriter {
 public:
  void Line(std::string_view line);  // without '\n'
  void Add(std::string_view name, std::string_view value);
  void Add(std::string_view name, int64_t value);
  void Add(std::string_view name, double value);  // exact
  void AddTime(std::string_view name, Millis time);
  /// Returns the text, with its last line.
  std::string Finish(std::string_view key) &&;

 private:
  std::string text_;
};

/// The lines of one key, without the checksum.
class RecordLines {
 public:
  struct Line {
    int number = 0;  // from 1
    std::string_view text;
  };
  /// Views of `text`, which must outlive this. `findings` gets what is wrong.
  RecordLines(std::string_view map, std::string_view key, std::string_view text,
              std::vector<JournalFinding>* findings);

  /// The checksum is there and right.
  bool is_intact() const { return is_intact_; }
  const std::vector<Line>& lines() const { return lines_; }
  void Report(int line, std::string_view text);

 private:
  std::string_view map_;
  std::string_view key_;
  std::vector<JournalFinding>* findings_;
  std::vector<Line> lines_;
  bool is_intact_ = false;
};

/// The fields of one key. What is absent, malformed or beyond its limits is reported, and nothing
/// is returned.
class RecordFields {
 public:
  explicit RecordFields(RecordLines* lines);

  std::optional<std::string_view> Text(std::string_view name);
  std::optional<int64_t> Integer(std::string_view name, int64_t least, int64_t most);
  std::optional<double> Number(std::string_view name, double least, double most);
  std::optional<Millis> Time(std::string_view name);
  /// 0 where it is absent.
  std::optional<Millis> TimeOrNone(std::string_view name);
  /// Reports the fields that were not asked for.
  void ReportUnknown();

 private:
  struct Field {
    int line = 0;
    std::string_view name;
    std::string_view value;
    bool is_used = false;
  };
  Field* Find(std::string_view name);
  void Missing(std::string_view name);
  void Wrong(const Field& field, std::string_view accepted);

  RecordLines* lines_;
  std::vector<Field> fields_;
};

}  // namespace outrigger::penalty
