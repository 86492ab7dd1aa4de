// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests as JSON: there and back, and every wrong input named by its field.
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "test/runtime/launch/gemm_manifest.h"

namespace tegula {
namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string &json) {
  auto manifest = parse_manifest(json);
  REQUIRE_FALSE(manifest);
  CHECK(manifest.error().code() == ErrorCode::bad_argument);
  return manifest.error().message();
}

std::string refusal(const std::function<void(KernelManifest &)> &spoil) {
  KernelManifest manifest = gemm_manifest();
  spoil(manifest);
  auto verdict = validate(manifest);
  REQUIRE_FALSE(verdict);
  return verdict.error().message();
}

const std::string kRead = "cannot read the manifest: ";
const std::string kContradicts = "the manifest of 'gemm' contradicts itself: ";

TEST_CASE("manifest: JSON gives back the same manifest") {
  auto manifest = parse_manifest(to_json(gemm_manifest()));
  REQUIRE(manifest);
  CHECK(*manifest == gemm_manifest());
}

TEST_CASE("manifest: text that is no JSON is refused with its place") {
  CHECK(refusal("{\n  \"kernel\": gemm\n}") == kRead + "not JSON: line 2, column 13 can't be read");
  CHECK(refusal("") == kRead + "not JSON: it ends early, at line 1");
}

TEST_CASE("manifest: cut at every length it is refused, never accepted") {
  const std::string json = to_json(gemm_manifest());
  for (size_t length = 0; length + 2 < json.size(); ++length)
    CHECK_FALSE(parse_manifest(json.substr(0, length)));
}

TEST_CASE("manifest: a field that is missing, unknown or of the wrong type is named") {
  const std::string json = to_json(gemm_manifest());
  CHECK(refusal(replaced(json, "\"entry\": \"gemm_entry\",", "")) == kRead + "entry is missing");
  CHECK(refusal(replaced(json, "\"entry\":", "\"entree\":")) ==
        "cannot read the manifest, for 2 reasons:\n  - entry is missing\n  - entree is not known here");
  CHECK(refusal(replaced(json, "\"persistent\": false", "\"persistent\": 0")) ==
        kRead + "persistent is number; it must be true or false");
  CHECK(refusal(replaced(json, "\"unit_dim\": 1", "\"unit_dim\": 1.5")) ==
        kRead + "globals[0].unit_dim is number; it must be an integer");
  CHECK(refusal(replaced(json, "\"access\": \"write\"", "\"access\": \"wrote\"")) ==
        kRead + "globals[2].access is 'wrote'; it must be one of read, write, read_write");
  CHECK(refusal(replaced(json, "\"swizzle\": \"b128\"", "\"swizzle\": \"b256\"")) ==
        kRead + "tensor_maps[0].swizzle is 'b256'; it must be one of none, b32, b64, b128");
  CHECK(refusal(replaced(json, "\"block_threads\": 384", "\"block_threads\": 2048")) ==
        kRead + "block_threads is 2048; it must lie within 1 and 1024");
}

TEST_CASE("manifest: a dtype that isn't one is answered with those that are") {
  std::string message = refusal(replaced(to_json(gemm_manifest()), "\"dtype\": \"bf16\"", "\"dtype\": \"bf17\""));
  CHECK(message == kRead + "globals[0].dtype is 'bf17'; it must be one of " + std::string(dtype_names()));
}

TEST_CASE("manifest: another format is refused") {
  CHECK(refusal(replaced(to_json(gemm_manifest()), "\"tegula_manifest\": 1", "\"tegula_manifest\": 2")) ==
        kRead + "tegula_manifest is 2; it must lie within 1 and 1");
}

TEST_CASE("manifest: parts that disagree are named") {
  CHECK(refusal([](KernelManifest &m) { m.globals[0].dims[1] = "Q"; }) ==
        kContradicts + "global A: dim 'Q' is neither a number nor one of dims");
  CHECK(refusal([](KernelManifest &m) { m.globals[1].name = "A"; }).find("globals: 'A' occurs twice") !=
        std::string::npos);
  CHECK(refusal([](KernelManifest &m) { m.tensor_maps[0].order = {1, 1}; }) ==
        kContradicts + "tensor_maps[0]: order names dim 1; A has dims 0 to 1, each at most once");
  CHECK(refusal([](KernelManifest &m) { m.tensor_maps[0].window = 1; }) ==
        kContradicts + "tensor_maps[0]: window is 1; it must be a dim of order, and not the unit dim");
  CHECK(refusal([](KernelManifest &m) { m.params[0].index = 7; }) ==
        kContradicts + "params[0]: index is 7; there are 2 tensor maps");
  CHECK(refusal([](KernelManifest &m) { m.params[0].index = 1; }) ==
        kContradicts + "params[0]: names A, its tensor map is of B");
  CHECK(refusal([](KernelManifest &m) { m.grid[0].dim = "Q"; }) == kContradicts + "grid: 'Q' is not one of dims");
  CHECK(refusal([](KernelManifest &m) { m.cluster = {2, 2, 1}; }) ==
        kContradicts + "cluster is 2 x 2 x 1; the grid is one-dimensional, so the cluster's y and z must be 1");
  CHECK(refusal([](KernelManifest &m) { m.arch = "hopper"; }) ==
        kContradicts + "arch is 'hopper'; it must be like sm_90a");
  CHECK(refusal([](KernelManifest &m) { m.globals[0].align_bytes = 12; }) ==
        kContradicts + "global A: align_bytes is 12; it must be a power of two");
}

TEST_CASE("manifest: constant extents are numbers") {
  KernelManifest manifest = gemm_manifest();
  manifest.globals[2].dims = {"M", "64"};
  CHECK(validate(manifest));
}

} // namespace
} // namespace tegula
