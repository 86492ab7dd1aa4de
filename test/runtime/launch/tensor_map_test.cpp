// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: what the driver is given, and each rule's refusal.
#include "runtime/launch/tensor_map.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TensorMapSpec good() {
  return {.base = 0x1000,
          .dtype = DType::bf16,
          .dims = {100, 30},
          .strides = {208},
          .box = {64, 128},
          .swizzle = Swizzle::b128};
}

std::string refusal(const TensorMapSpec &spec) {
  fake::open_driver();
  Context context = fake::open_context();
  auto map = encode_tensor_map(context, spec);
  REQUIRE_FALSE(map);
  CHECK(map.error().code() == ErrorCode::bad_argument);
  CHECK(fake::state().maps.empty());
  return map.error().message();
}

const std::string kCannot = "cannot make a tensor map: ";

TEST_CASE("tensor map: the driver is given the spec as it is") {
  fake::open_driver();
  Context context = fake::open_context();
  REQUIRE(encode_tensor_map(context, good()));
  const fake::EncodedMap &map = fake::state().maps.at(0);
  CHECK(map.type == cu::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(map.base == 0x1000);
  CHECK(map.dims == std::vector<uint64_t>{100, 30});
  CHECK(map.strides == std::vector<uint64_t>{208});
  CHECK(map.box == std::vector<uint32_t>{64, 128});
  CHECK(map.swizzle == cu::CU_TENSOR_MAP_SWIZZLE_128B);
}

TEST_CASE("tensor map: rank 1 gives no strides") {
  fake::open_driver();
  Context context = fake::open_context();
  CHECK(encode_tensor_map(context, {.base = 16, .dtype = DType::f32, .dims = {7}, .strides = {}, .box = {4}}));
}

TEST_CASE("limit-02: a null base is refused as such") {
  TensorMapSpec spec = good();
  spec.base = 0;
  CHECK(refusal(spec) == kCannot + "the tensor is null");
}

TEST_CASE("tensor map: a base off 16 bytes is refused") {
  TensorMapSpec spec = good();
  spec.base = 0x1008;
  CHECK(refusal(spec) == kCannot + "the tensor lies at 0x1008; TMA needs a multiple of 16 bytes");
}

TEST_CASE("tensor map: extents of 0 and beyond 2^32 are refused, 2^32 is not") {
  TensorMapSpec spec = good();
  spec.dims = {0, 30};
  CHECK(refusal(spec) == kCannot + "the tensor: extent 0 is 0; TMA takes 1 to 4294967296 (2^32)");
  spec.dims = {64, (int64_t{1} << 32) + 1};
  CHECK(refusal(spec) == kCannot + "the tensor: extent 1 is 4294967297; TMA takes 1 to 4294967296 (2^32)");
  spec.dims = {64, int64_t{1} << 32};
  fake::open_driver();
  Context context = fake::open_context();
  CHECK(encode_tensor_map(context, spec));
}

TEST_CASE("limit-03: a stride of 2^40 bytes is refused, 2^40 - 16 works") {
  TensorMapSpec spec = good();
  spec.strides = {int64_t{1} << 40};
  CHECK(refusal(spec) == kCannot + "the tensor: the stride of dim 1 is 1099511627776 bytes; TMA takes 0 to "
                                   "1099511627760 (below 2^40)");
  spec.strides = {(int64_t{1} << 40) - 16};
  fake::open_driver();
  Context context = fake::open_context();
  CHECK(encode_tensor_map(context, spec));
}

TEST_CASE("tensor map: strides off 16 bytes and negative ones are refused") {
  TensorMapSpec spec = good();
  spec.strides = {200};
  CHECK(refusal(spec) == kCannot + "the tensor: the stride of dim 1 is 200 bytes; TMA needs a multiple of 16");
  spec.strides = {-16};
  CHECK(refusal(spec).find("is -16 bytes") != std::string::npos);
}

TEST_CASE("tensor map: box rules") {
  TensorMapSpec spec = good();
  spec.box = {64, 257};
  CHECK(refusal(spec) == kCannot + "the tensor: box extent 1 is 257; it must be 1 to 256");
  spec.box = {4, 128};
  CHECK(refusal(spec) == kCannot + "the tensor: a row of the box is 8 bytes; it must be a multiple of 16");
  spec.box = {128, 128};
  CHECK(refusal(spec) == kCannot + "the tensor: a row of the box is 256 bytes; the swizzle b128 allows at most 128");
  spec.box = {64};
  CHECK(refusal(spec) == kCannot + "the tensor: the box has 1 extents, the tensor 2");
}

TEST_CASE("tensor map: rank 6 is refused") {
  TensorMapSpec spec = good();
  spec.dims = {64, 2, 2, 2, 2, 2};
  CHECK(refusal(spec) == kCannot + "the tensor: its rank is 6; TMA takes 1 to 5");
}

TEST_CASE("tensor map: everything wrong is said at once") {
  TensorMapSpec spec = good();
  spec.base = 0;
  spec.strides = {200};
  spec.box = {64, 0};
  CHECK(refusal(spec) == "cannot make a tensor map, for 3 reasons:\n  - the tensor is null\n"
                         "  - the tensor: the stride of dim 1 is 200 bytes; TMA needs a multiple of 16\n"
                         "  - the tensor: box extent 1 is 0; it must be 1 to 256");
}

TEST_CASE("tensor map: what the driver refuses nevertheless comes with its words") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().fail["cuTensorMapEncodeTiled"] = cu::CUDA_ERROR_INVALID_VALUE;
  CHECK(encode_tensor_map(context, good()).error().message() ==
        "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (a fault)");
}

} // namespace
} // namespace tegula
