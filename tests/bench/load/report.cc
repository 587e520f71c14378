#include "report.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::load_bench {
namespace {

constexpr std::array<std::pair<std::string_view, double Row::*>, 14> kFigures = {{
    {"error_median", &Row::error_median},
    {"error_p95", &Row::error_p95},
    {"bias", &Row::bias},
    {"memory_error_median", &Row::memory_error_median},
    {"memory_error_p95", &Row::memory_error_p95},
    {"overloaded_minutes", &Row::overloaded},
    {"refusals", &Row::refusals},
    {"refusals_in_vain", &Row::in_vain},
    {"pods_refused_in_vain", &Row::pods_in_vain},
    {"pods", &Row::pods},
    {"placed", &Row::placed},
    {"misplaced", &Row::misplaced},
    {"used_nodes", &Row::used_nodes},
    {"imbalance", &Row::imbalance},
}};

// "-0.0" is 0.
double Shown(double value) {
  return std::abs(value) < 0.05 ? 0 : value;
}

std::string LineOf(const std::string& family, std::string_view name, const Row& row) {
  return fmt::format(
      "| {} | {} | {:.1f} | {:.1f} | {:+.1f} | {:.1f} | {:.0f} | {:.0f} | {:.0f} of {:.0f} | "
      "{:.2f} "
      "| {:.1f} |\n",
      family, name, row.error_median, row.error_p95, Shown(row.bias), row.overloaded,
      row.pods_in_vain, row.misplaced, row.placed, row.pods, row.used_nodes, row.imbalance);
}

}  // namespace

std::string TableOf(const std::vector<FamilyRows>& families, const std::string& what) {
  std::string table = fmt::format("Loads with a known truth, {}.\n\n", what);
  table +=
      "| trace | scheduler | error, median | p95 | bias | overloaded, node minutes "
      "| refused in vain | misplaced | placed | used nodes | imbalance |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const FamilyRows& family : families) {
    for (size_t i = 0; i < family.rows.size(); ++i) {
      table += LineOf(family.family, Contenders()[i].name, family.rows[i]);
    }
  }
  return table;
}

std::string JsonOf(const std::vector<FamilyRows>& families, const std::string& what,
                   const std::vector<std::string>& missed, const std::vector<LoadPoint>& series) {
  nlohmann::ordered_json json = {{"what", what}, {"missed", missed}};
  json["rows"] = nlohmann::ordered_json::array();
  for (const FamilyRows& family : families) {
    for (size_t i = 0; i < family.rows.size(); ++i) {
      nlohmann::ordered_json row = {{"trace", family.family}, {"scheduler", Contenders()[i].name}};
      for (const auto& [name, figure] : kFigures) row[std::string(name)] = family.rows[i].*figure;
      json["rows"].push_back(std::move(row));
    }
  }
  json["series"] = nlohmann::ordered_json::array();
  for (const LoadPoint& point : series) {
    json["series"].push_back({{"time", point.time},
                              {"truth", point.truth},
                              {"measured", point.measured},
                              {"forecast", point.forecast},
                              {"safe", point.safe}});
  }
  return json.dump(2) + "\n";
}

std::vector<std::string> NotFinite(const std::vector<FamilyRows>& families) {
  std::vector<std::string> bad;
  for (const FamilyRows& family : families) {
    for (size_t i = 0; i < family.rows.size(); ++i) {
      for (const auto& [name, figure] : kFigures) {
        if (std::isfinite(family.rows[i].*figure)) continue;
        bad.push_back(
            fmt::format("{}, {}: {} is not finite", family.family, Contenders()[i].name, name));
      }
    }
  }
  return bad;
}

}  // namespace outrigger::load_bench
