#include "http/tls/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "certificates.h"
#include "fmt/format.h"
#include "http/start_testing.h"

namespace outrigger::http {
namespace {

using testing::Certificate;
using ::testing::EndsWith;
using testing::TestAuthority;
using testing::TestFolder;

/// The same key, which takes a passphrase to read.
std::string Encrypted(const std::string& key) {
  const std::unique_ptr<BIO, int (*)(BIO*)> in(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), &BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pkey(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), &BIO_free);
  char phrase[] = "secret";
  EXPECT_EQ(PEM_write_bio_PKCS8PrivateKey(out.get(), pkey.get(), EVP_aes_256_cbc(), phrase, 6,
                                          nullptr, nullptr),
            1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<size_t>(size)};
}

struct Files {
  TlsOptions options;
  const TestFolder& folder;
  const Certificate& certificate;
};

struct FileRow {
  const char* name;
  absl::StatusCode code;
  void (*spoil)(Files* files);
  std::string error;  // how it ends
};
class TlsFiles : public ::testing::TestWithParam<FileRow> {};

TEST_P(TlsFiles, AreNamedWithWhatIsWrong) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate certificate = authority.Issue("server");
  Files files{{.cert_file = folder.Write("cert.pem", certificate.certificate),
               .key_file = folder.Write("key.pem", certificate.key),
               .client_ca_file = folder.Write("ca.pem", authority.certificate())},
              folder,
              certificate};
  ASSERT_TRUE(ReadTlsFiles(files.options).ok());
  GetParam().spoil(&files);
  const auto read = ReadTlsFiles(files.options);
  EXPECT_EQ(read.status().code(), GetParam().code);
  EXPECT_THAT(std::string(read.status().message()), EndsWith(GetParam().error));
  ServerOptions server;
  server.tls = files.options;
  EXPECT_EQ(Server::Start(server, Echo).status(), read.status());
}

constexpr auto kUnread = absl::StatusCode::kUnavailable;
constexpr auto kWrong = absl::StatusCode::kInvalidArgument;

INSTANTIATE_TEST_SUITE_P(
    Rows, TlsFiles,
    ::testing::Values(
        FileRow{"NoCertificate", kUnread,
                [](Files* files) { files->options.cert_file = "/nowhere/cert.pem"; },
                "--tls-cert /nowhere/cert.pem: No such file or directory"},
        FileRow{"NoKey", kUnread,
                [](Files* files) { files->options.key_file = "/nowhere/key.pem"; },
                "--tls-key /nowhere/key.pem: No such file or directory"},
        FileRow{"NoClientAuthority", kUnread,
                [](Files* files) { files->options.client_ca_file = "/nowhere/ca"; },
                "--client-ca /nowhere/ca: No such file or directory"},
        FileRow{"CertificateIsAFolder", kUnread,
                [](Files* files) { files->options.cert_file = "/"; },
                "--tls-cert /: Is a directory"},
        FileRow{"CertificateIsEmpty", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", ""); }, "cert.pem: is empty"},
        FileRow{"CertificateIsJunk", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", "junk"); },
                "cert.pem: not a PEM certificate"},
        FileRow{"CertificateIsCutOff", kWrong,
                [](Files* files) {
                  files->folder.Write("cert.pem", files->certificate.certificate.substr(0, 200));
                },
                "cert.pem: not a PEM certificate"},
        FileRow{"CertificateIsAKey", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", files->certificate.key); },
                "cert.pem: not a PEM certificate"},
        FileRow{"KeyIsJunk", kWrong, [](Files* files) { files->folder.Write("key.pem", "junk"); },
                "key.pem: not a PEM private key"},
        FileRow{
            "KeyIsACertificate", kWrong,
            [](Files* files) { files->folder.Write("key.pem", files->certificate.certificate); },
            "key.pem: not a PEM private key"},
        FileRow{
            "KeyIsEncrypted", kWrong,
            [](Files* files) { files->folder.Write("key.pem", Encrypted(files->certificate.key)); },
            "key.pem: is encrypted; a key without a passphrase is accepted"},
        FileRow{"ClientAuthorityIsJunk", kWrong,
                [](Files* files) { files->folder.Write("ca.pem", "junk"); },
                "ca.pem: not a PEM certificate"}),
    [](const auto& row) { return row.param.name; });

struct OrderRow {
  const char* name;
  std::string (*chain)(const TestAuthority& authority, const Certificate& own);
  std::string error;  // how it ends, after the name of the certificate's file; empty: accepted
};
class TlsChain : public ::testing::TestWithParam<OrderRow> {};

TEST_P(TlsChain, NeedsTheServersCertificateFirst) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate own = authority.Issue("server");
  const std::string cert = folder.Write("cert.pem", GetParam().chain(authority, own));
  const std::string key = folder.Write("key.pem", own.key);
  const auto read = ReadTlsFiles({.cert_file = cert, .key_file = key, .client_ca_file = {}});
  const std::string error = GetParam().error;
  EXPECT_EQ(std::string(read.status().message()),
            error.empty()
                ? ""
                : fmt::format("--tls-key {}: {}", key, fmt::format(fmt::runtime(error), cert)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TlsChain,
    ::testing::Values(
        OrderRow{"ServerFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return own.certificate + authority.certificate();
                 },
                 ""},
        OrderRow{"AuthorityFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return authority.certificate() + own.certificate;
                 },
                 "is the key of certificate 2 in --tls-cert {}: the server's certificate must be "
                 "the first one, but the file begins with a CA's"},
        OrderRow{"AnotherServerFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return authority.Issue("other").certificate + authority.certificate() +
                          own.certificate;
                 },
                 "is the key of certificate 3 in --tls-cert {}: the server's certificate must be "
                 "the first one"},
        OrderRow{"AuthorityAlone",
                 [](const TestAuthority& authority, const Certificate&) {
                   return authority.certificate();
                 },
                 "is not the key of --tls-cert {}, which begins with the certificate of a CA: the "
                 "server's certificate must be the first one"},
        OrderRow{"AnotherServer",
                 [](const TestAuthority& authority, const Certificate&) {
                   return authority.Issue("other").certificate;
                 },
                 "is not the key of --tls-cert {}"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::http
