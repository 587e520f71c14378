#include "console/process/log.h"

#include <string_view>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

// JSON's escapes, with what is not UTF-8 replaced; a terminal's other control characters (DEL, and
// C1, which UTF-8 writes as C2 80..9F) are not JSON's business but are escaped as well.
std::string Escaped(std::string_view text) {
  using Json = nlohmann::json;
  const std::string json =
      Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = i + 1 < json.size() ? static_cast<unsigned char>(json[i + 1]) : 0U;
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && next < 0xa0) {
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      out += json[i];
    }
  }
  return out;
}

// As in JSON, but quotes and backslashes are for people.
std::string EscapedText(std::string_view text) {
  const std::string json = Escaped(text);
  std::string out;
  for (size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] == '\\' && (json[i + 1] == '"' || json[i + 1] == '\\')) ++i;
    out += json[i];
  }
  return out;
}

std::string TimeText(const spdlog::log_clock::time_point& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

std::string_view LevelText(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
      return "trace";
    case spdlog::level::debug:
      return "debug";
    case spdlog::level::info:
      return "info";
    case spdlog::level::warn:
      return "warn";
    default:
      return "error";
  }
}

class Formatter final : public spdlog::formatter {
 public:
  explicit Formatter(bool json) : json_(json) {}

  void format(const spdlog::details::log_msg& msg, spdlog::memory_buf_t& line) override {
    const std::string_view payload(msg.payload.data(), msg.payload.size());
    const std::string text =
        json_ ? fmt::format(R"({{"time":"{}","level":"{}","msg":{}}})", TimeText(msg.time),
                            LevelText(msg.level), Escaped(payload))
              : fmt::format("{} {:<5} {}", TimeText(msg.time), LevelText(msg.level),
                            EscapedText(payload));
    line.append(text.data(), text.data() + text.size());
    line.push_back('\n');
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<Formatter>(json_);
  }

 private:
  const bool json_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeFormatter(bool json) {
  return std::make_unique<Formatter>(json);
}

void StartLogging(const LogOptions& options) {
  auto logger = std::make_shared<spdlog::logger>("outrigger",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(MakeFormatter(options.json));
  logger->set_level(spdlog::level::from_str(options.level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace outrigger::cli
