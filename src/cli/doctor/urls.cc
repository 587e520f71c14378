#include <algorithm>

#include "cli/doctor/checks.h"
#include "cli/serve/options.h"
#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

bool IsSet(const MapReader& tls, const std::string& file, const std::string& data) {
  return !tls.Text(file).value.empty() || !tls.Text(data).value.empty();
}

void CheckTlsFiles(const MapReader& tls, Findings* findings) {
  const bool insecure = tls.Truth("insecure").Or(false);
  if (insecure && IsSet(tls, "caFile", "caData")) {
    findings->Add(Id::kTlsCaAndInsecure, tls.Truth("insecure").place, "insecure: true and a CA",
                  "leave insecure out");
  }
  const bool certificate = IsSet(tls, "certFile", "certData");
  if (certificate != IsSet(tls, "keyFile", "keyData")) {
    findings->Add(Id::kTlsKeyMissing, tls.place(),
                  certificate ? "certFile without keyFile" : "keyFile without certFile",
                  "both certFile and keyFile, or neither");
  }
}

void CheckTls(const Entry& entry, Findings* findings) {
  const MapReader tls = entry.fields.Map("tlsConfig");
  const Field<bool> enabled = entry.fields.Truth("enableHTTPS");
  CheckTlsFiles(tls, findings);
  const bool insecure = tls.Truth("insecure").Or(false);
  const bool authority = IsSet(tls, "caFile", "caData");
  if (!entry.url->tls) {
    if (!enabled.Or(false) && !entry.fields.Has("tlsConfig")) return;
    findings->Add(Id::kTlsInClear, entry.url_text.place, entry.url_text.value,
                  fmt::format("urlPrefix: https://{}{}, or leave enableHTTPS and tlsConfig out",
                              entry.url->Address(), entry.url->path));
  } else if (insecure && !authority) {
    findings->Add(Id::kTlsInsecure, tls.Truth("insecure").place, "insecure: true",
                  "tlsConfig: {caFile: /path/to/ca.crt} instead");
  } else if (enabled.Or(false) && !authority) {
    findings->Add(Id::kTlsUnchecked, entry.place(), "enableHTTPS: true without tlsConfig.caFile",
                  "tlsConfig: {caFile: /path/to/ca.crt}, or insecure: true if intended");
  }
}

// "POST /safe/filter, or filterVerb: ..." for who meant `verb` of the entry's agent.
std::string Instead(const Entry& entry, EntryVerb verb) {
  if (entry.agent == nullptr) {
    if (entry.MayServe(verb)) return fmt::format("{}: {}", FieldNameOf(verb), NameOf(verb));
    return fmt::format("leave {} out: no agent of this process has it", FieldNameOf(verb));
  }
  const AgentInfo& agent = *entry.agent;
  if (HasVerb(agent, verb)) {
    return fmt::format("urlPrefix: {}://{}/{} and {}: {}", entry.url->tls ? "https" : "http",
                       entry.url->Address(), agent.name, FieldNameOf(verb), NameOf(verb));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < kVerbCount; ++i) {
    const auto other = static_cast<EntryVerb>(i);
    if (HasVerb(agent, other)) names.emplace_back(FieldNameOf(other));
  }
  return fmt::format("leave {} out: agent {} has {}", FieldNameOf(verb), agent.name, Listed(names));
}

bool IsServed(const DoctorCase& found, const Entry& entry, EntryVerb verb) {
  const std::string path = entry.PathOf(verb);
  const bool merged = path == fmt::format("/{}", NameOf(verb));
  if (merged) return entry.MayServe(verb);
  return std::any_of(found.paths.begin(), found.paths.end(), [&](const ServedPath& served) {
    return served.path == path && served.verb == NameOf(verb);
  });
}

void CheckVerbs(const DoctorCase& found, const Entry& entry, Findings* findings) {
  bool any = false;
  for (size_t i = 0; i < kVerbCount; ++i) {
    const auto verb = static_cast<EntryVerb>(i);
    any |= !entry.verbs[i].Absent();
    if (!entry.Has(verb) || IsServed(found, entry, verb)) continue;
    findings->Add(Id::kVerbNotServed, entry.verbs[i].place,
                  fmt::format("{} (POST {})", entry.verbs[i].value, entry.PathOf(verb)),
                  Instead(entry, verb));
  }
  if (any) return;
  findings->Add(Id::kVerbsNone, entry.place(), "no verb", "filterVerb: filter, for example");
}

// Pods are sent to entries of others as well, and they decide about pods as well.
void CheckInClear(const Entry& entry, Findings* findings) {
  const EntryUrl& url = *entry.url;
  if (url.tls || IsLoopback(url.host) || entry.scheme_missing) return;
  findings->Add(
      Id::kUrlInClear, entry.url_text.place, entry.url_text.value,
      fmt::format("https:// with tlsConfig, or 127.0.0.1 with the {} in the scheduler's pod",
                  entry.ours ? "agent" : "extender"));
}

void CheckAddress(const DoctorCase& found, const Entry& entry, Findings* findings) {
  const EntryUrl& url = *entry.url;
  if (entry.agent == nullptr) return;
  const int64_t told = found.told[0].server->port;
  const bool expected =
      told >= 0 ? url.port == told : url.port == entry.agent->port || url.port == kSharedPort;
  if (expected) return;
  findings->Add(
      Id::kPortUnexpected, entry.url_text.place, fmt::format("port {}", url.port),
      fmt::format("{}, or serve --port {}", told >= 0 ? told : entry.agent->port, url.port));
}

void CheckUrl(const Entry& entry, Findings* findings) {
  if (entry.url_text.Broken() || (entry.url && !entry.scheme_missing)) return;
  findings->Add(Id::kUrlMalformed, entry.url_text.place,
                entry.url_text.Given() ? entry.url_text.value : "missing",
                entry.scheme_missing
                    ? fmt::format("urlPrefix: http://{} (or https://)", entry.url_text.value)
                    : "a URL such as http://127.0.0.1:9870/gang");
}

}  // namespace

void CheckUrls(const DoctorCase& found, Findings* findings) {
  for (const Entry& entry : found.entries) {
    CheckUrl(entry, findings);
    if (!entry.url) continue;
    if (!entry.scheme_missing) CheckTls(entry, findings);
    CheckInClear(entry, findings);
    if (!entry.left_out.empty()) {
      findings->Add(Id::kAgentNotCompiledIn, entry.url_text.place, "agent " + entry.left_out,
                    fmt::format("check it with a program that has it (-DOUTRIGGER_AGENT_{}=ON)",
                                UpperCase(entry.left_out)));
    }
    if (!entry.ours) continue;
    CheckVerbs(found, entry, findings);
    CheckAddress(found, entry, findings);
  }
}

}  // namespace outrigger::cli
