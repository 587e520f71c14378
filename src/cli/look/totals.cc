#include "cli/look/totals.h"

#include <algorithm>
#include <array>
#include <variant>

#include "fmt/format.h"

namespace outrigger::cli::look {
namespace {

// Of "cpu", "memory" or "device".
Amount AmountOf(const PageRows& rows, size_t row, std::string_view resource) {
  const auto read = [&](std::string_view what) {
    const auto number = rows.Integer(row, fmt::format("{}{}", resource, what));
    return static_cast<double>(std::max<int64_t>(0, number.value_or(0)));
  };
  Amount amount{.total = read("Total"), .used = read("Used"), .reserved = read("Reserved")};
  if (!rows.Truth(row, "schedulable", true)) amount.out = amount.Free();
  return amount;
}

// One digit behind the point below 10, if it is not 0.
std::string Digits(double number) {
  constexpr double kOneDigit = 10;
  const std::string text =
      fmt::format("{:.{}f}", number, number < kOneDigit && number > -kOneDigit ? 1 : 0);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

}  // namespace

const PageCell* PageRows::Find(size_t row, std::string_view column) const {
  for (size_t i = 0; i < page_.columns().size(); ++i) {
    if (page_.columns()[i].name == column) return &page_.rows()[row][i];
  }
  return nullptr;
}

std::string PageRows::Text(size_t row, std::string_view column) const {
  const PageCell* const cell = Find(row, column);
  const auto* const text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
  return text == nullptr ? "" : *text;
}

std::optional<int64_t> PageRows::Integer(size_t row, std::string_view column) const {
  const PageCell* const cell = Find(row, column);
  const auto* const number = cell == nullptr ? nullptr : std::get_if<int64_t>(cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

bool PageRows::Truth(size_t row, std::string_view column, bool fallback) const {
  const PageCell* const cell = Find(row, column);
  const auto* const truth = cell == nullptr ? nullptr : std::get_if<bool>(cell);
  return truth == nullptr ? fallback : *truth;
}

double Amount::Free() const {
  return std::max(0.0, total - used - reserved - out);
}

void Amount::Add(const Amount& other) {
  total += other.total;
  used += other.used;
  reserved += other.reserved;
  out += other.out;
}

void NodeTotals::Add(const NodeTotals& other) {
  nodes += other.nodes;
  reserved += other.reserved;
  out += other.out;
  cpu.Add(other.cpu);
  memory.Add(other.memory);
  devices.Add(other.devices);
}

NodeTotals TotalsOfNode(const PageRows& rows, size_t row) {
  return {.nodes = 1,
          .reserved = rows.Text(row, "reservedFor").empty() ? size_t{0} : size_t{1},
          .out = rows.Truth(row, "schedulable", true) ? size_t{0} : size_t{1},
          .cpu = AmountOf(rows, row, "cpu"),
          .memory = AmountOf(rows, row, "memory"),
          .devices = AmountOf(rows, row, "device")};
}

ClusterTotals TotalsOf(const PageRows& nodes) {
  ClusterTotals totals;
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeTotals node = TotalsOfNode(nodes, i);
    const std::string device = nodes.Text(i, "device");
    if (totals.device.empty()) totals.device = device;
    // Devices of different kinds are no sum.
    if (device != totals.device) node.devices = {};
    totals.all.Add(node);
    totals.zones[nodes.Text(i, "zone")].Add(node);
  }
  return totals;
}

std::string CoresText(double millicores) {
  constexpr double kMilli = 1000;
  return Digits(millicores / kMilli);
}

std::string BytesText(double bytes) {
  constexpr double kStep = 1024;
  constexpr std::array kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return Digits(bytes) + kUnits[unit];
}

std::string CountText(double count) {
  return fmt::format("{:.0f}", count);
}

}  // namespace outrigger::cli::look
