// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles: several architectures and schedules, what is refused and how, damage, and packing.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "test/runtime/fake_driver/open_fake.h"
#include "test/runtime/launch/gemm_manifest.h"

namespace tegula {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("tegula_bundle_" + std::to_string(getpid()))) { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

// The fake driver finds entry points in any image's text.
BundleEntry entry(const std::string &arch, const std::string &schedule_m = "128", bool cubin = true, bool ptx = true) {
  BundleEntry made;
  made.manifest = gemm_manifest();
  made.manifest.arch = arch;
  made.manifest.schedule["m"] = schedule_m;
  std::string elf = "\x7f"
                    "ELF" +
                    kGemmPtx;
  auto bytes = std::as_bytes(std::span(elf));
  if (cubin)
    made.cubin.assign(bytes.begin(), bytes.end());
  if (ptx)
    made.ptx = kGemmPtx;
  return made;
}

std::string text_of(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

const DeviceInfo kHopper{.ordinal = 0, .name = "Fake H200", .arch = {9, 0}};
const DeviceInfo kBlackwell{.ordinal = 0, .name = "Fake B200", .arch = {10, 0}};

TEST_CASE("bundle: files are named for kernel and architecture, and the header is among them") {
  Folder folder;
  auto written = add_to_bundle(folder.path, entry("sm_90a"));
  REQUIRE(written);
  for (const char *name : {"gemm.sm_90a.cubin", "gemm.sm_90a.ptx", "gemm.sm_90a.json", "gemm.sm_90a.h", "bundle.json"})
    CHECK(fs::exists(folder.path / name));
  CHECK(written->size() == 5);
  CHECK(parse_manifest(text_of(folder.path / "gemm.sm_90a.json")));
}

TEST_CASE("bundle: a kernel is found for the device's architecture and schedule") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  REQUIRE(add_to_bundle(folder.path, entry("sm_100a")));
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a", "256")));
  auto bundle = Bundle::open(folder.path);
  REQUIRE(bundle);
  CHECK(bundle->size() == 3);
  CHECK(bundle->manifest(*bundle->find("gemm", kBlackwell)).arch == "sm_100a");
  CHECK(bundle->manifest(*bundle->find("gemm", kHopper, "k=64 m=256")).schedule.at("m") == "256");
  CHECK(bundle->read(*bundle->find("gemm", kHopper))->ptx == kGemmPtx);
}

TEST_CASE("bundle: the same kernel, schedule and architecture is replaced") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a", "128", false)));
  auto bundle = Bundle::open(folder.path);
  CHECK(bundle->size() == 1);
  CHECK(bundle->read(0)->cubin.empty());
}

TEST_CASE("aot-01: another architecture is refused with what is held, the device, and the command that adds it") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  auto bundle = Bundle::open(folder.path);
  auto index = bundle->find("gemm", kBlackwell);
  REQUIRE_FALSE(index);
  CHECK(index.error().code() == ErrorCode::wrong_architecture);
  CHECK(index.error().message() == "the bundle " + folder.path.string() +
                                       " has 'gemm' for sm_90a, device 0 (Fake B200, sm_100) can't run that; `tegula "
                                       "compile gemm --arch sm_100a -o " +
                                       folder.path.string() + "` adds it");
  Folder other;
  REQUIRE(add_to_bundle(other.path, entry("sm_100a")));
  CHECK(Bundle::open(other.path)->find("gemm", kHopper).error().message().find("has 'gemm' for sm_100a") !=
        std::string::npos);
}

TEST_CASE("aot-02: beside a cubin, PTX that is too new doesn't matter; alone it is refused with both versions") {
  Folder folder;
  fake::open_driver();
  Context context = fake::open_context();
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  CHECK(Bundle::open(folder.path)->load(context, "gemm"));

  BundleEntry alone = entry("sm_90a", "128", false);
  alone.ptx.replace(alone.ptx.find("8.0"), 3, "9.9");
  REQUIRE(add_to_bundle(folder.path, alone));
  fake::state().fail["cuModuleLoadDataEx"] = cu::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  auto kernel = Bundle::open(folder.path)->load(context, "gemm");
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().message() ==
        "cannot load 'gemm': the PTX is version 9.9, the driver (CUDA 13.0) reads up to 9.0; "
        "install a newer driver or load a cubin");
}

TEST_CASE("aot-03: packing fails where a kernel lacks an architecture that another has") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  REQUIRE(add_to_bundle(folder.path, entry("sm_100a")));
  BundleEntry helper = entry("sm_90a");
  helper.manifest.kernel = "split_k_sum";
  REQUIRE(add_to_bundle(folder.path, helper));
  auto packed = pack_bundle(folder.path, folder.path / "all.tegula");
  REQUIRE_FALSE(packed);
  CHECK(packed.error().message() ==
        "cannot pack the bundle: kernel 'split_k_sum' was not compiled for sm_100a, which others were");
  helper.manifest.arch = "sm_100a";
  REQUIRE(add_to_bundle(folder.path, helper));
  REQUIRE(pack_bundle(folder.path, folder.path / "all.tegula"));
  auto bundle = Bundle::open(folder.path / "all.tegula");
  REQUIRE(bundle);
  CHECK(bundle->size() == 4);
  CHECK(bundle->read(*bundle->find("split_k_sum", kBlackwell))->ptx == kGemmPtx);
}

TEST_CASE("aot-04: a bundle of another format, schedule or folder says why it isn't used") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  CHECK(Bundle::open(folder.path)->find("gemm", kHopper, "k=64 m=512").error().message() ==
        "the bundle " + folder.path.string() + " has 'gemm' with other schedules than 'k=64 m=512': k=64 m=128");
  CHECK(Bundle::open(folder.path)->find("attention", kHopper).error().message() ==
        "the bundle " + folder.path.string() + " has no kernel 'attention'; it has gemm");

  std::string index = text_of(folder.path / "bundle.json");
  index.replace(index.find("\"tegula_bundle\": 1"), 18, "\"tegula_bundle\": 9");
  std::ofstream(folder.path / "bundle.json") << index;
  CHECK(Bundle::open(folder.path).error().message() ==
        folder.path.string() + ": the bundle has format 9, this runtime reads 1; compile it again");

  auto elsewhere = Bundle::open(folder.path / "elsewhere");
  REQUIRE_FALSE(elsewhere);
  CHECK(elsewhere.error().code() == ErrorCode::not_found);
  CHECK(elsewhere.error().message() ==
        "cannot read " + (folder.path / "elsewhere" / "bundle.json").string() + ": No such file or directory");
}

TEST_CASE("bundle: a damaged image is found by its checksum") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  std::string ptx = text_of(folder.path / "gemm.sm_90a.ptx");
  ptx[40] ^= 1;
  std::ofstream(folder.path / "gemm.sm_90a.ptx") << ptx;
  auto read = Bundle::open(folder.path)->read(0);
  REQUIRE_FALSE(read);
  CHECK(read.error().message().find("gemm.sm_90a.ptx doesn't match its checksum; compile it again") !=
        std::string::npos);
}

TEST_CASE("bundle: a packed file cut at any length is refused, at open or at read") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  const fs::path file = folder.path / "all.tegula";
  REQUIRE(pack_bundle(folder.path, file));
  const std::string whole = text_of(file);
  for (size_t length = 0; length < whole.size(); length += 37) {
    std::ofstream(file, std::ios::binary | std::ios::trunc).write(whole.data(), static_cast<std::streamsize>(length));
    auto bundle = Bundle::open(file);
    CHECK_FALSE((bundle && bundle->read(0)));
  }
}

TEST_CASE("bundle: an index that leads out of its folder is refused") {
  Folder folder;
  REQUIRE(add_to_bundle(folder.path, entry("sm_90a")));
  std::string index = text_of(folder.path / "bundle.json");
  index.replace(index.find("gemm.sm_90a.ptx"), 15, "../../etc/passw");
  std::ofstream(folder.path / "bundle.json") << index;
  CHECK(Bundle::open(folder.path).error().message().find("it must be a name without folders") != std::string::npos);
}

TEST_CASE("bundle: an output folder that can't be written is named with the reason") {
  auto written = add_to_bundle("/proc/tegula", entry("sm_90a"));
  REQUIRE_FALSE(written);
  CHECK(written.error().code() == ErrorCode::io_error);
  CHECK(written.error().message() == "cannot make the folder /proc/tegula: No such file or directory");
}

TEST_CASE("bundle: an entry without an image is refused") {
  Folder folder;
  CHECK(add_to_bundle(folder.path, entry("sm_90a", "128", false, false)).error().message() ==
        "'gemm' has neither a cubin nor PTX");
}

} // namespace
} // namespace tegula
