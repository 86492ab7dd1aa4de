// Written by Tegula (by hand): kernel 'saxpy' for sm_80. Needs tegula/runtime.h alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <tegula/runtime.h>

namespace tegula_kernels::saxpy_sm_80 {

inline constexpr std::string_view kManifest = "{\n"
                                              "  \"tegula_manifest\": 1,\n"
                                              "  \"kernel\": \"saxpy\",\n"
                                              "  \"entry\": \"saxpy\",\n"
                                              "  \"arch\": \"sm_80\",\n"
                                              "  \"dims\": [\n"
                                              "    {\n"
                                              "      \"name\": \"n\",\n"
                                              "      \"divisor\": 1\n"
                                              "    }\n"
                                              "  ],\n"
                                              "  \"globals\": [\n"
                                              "    {\n"
                                              "      \"name\": \"x\",\n"
                                              "      \"dtype\": \"f32\",\n"
                                              "      \"dims\": [\n"
                                              "        \"n\"\n"
                                              "      ],\n"
                                              "      \"unit_dim\": 0,\n"
                                              "      \"access\": \"read\",\n"
                                              "      \"align_bytes\": 4,\n"
                                              "      \"stride_divisors\": [\n"
                                              "        1\n"
                                              "      ]\n"
                                              "    },\n"
                                              "    {\n"
                                              "      \"name\": \"y\",\n"
                                              "      \"dtype\": \"f32\",\n"
                                              "      \"dims\": [\n"
                                              "        \"n\"\n"
                                              "      ],\n"
                                              "      \"unit_dim\": 0,\n"
                                              "      \"access\": \"read_write\",\n"
                                              "      \"align_bytes\": 4,\n"
                                              "      \"stride_divisors\": [\n"
                                              "        1\n"
                                              "      ]\n"
                                              "    }\n"
                                              "  ],\n"
                                              "  \"tensor_maps\": [],\n"
                                              "  \"params\": [\n"
                                              "    {\n"
                                              "      \"kind\": \"pointer\",\n"
                                              "      \"name\": \"x\"\n"
                                              "    },\n"
                                              "    {\n"
                                              "      \"kind\": \"pointer\",\n"
                                              "      \"name\": \"y\"\n"
                                              "    },\n"
                                              "    {\n"
                                              "      \"kind\": \"dim\",\n"
                                              "      \"name\": \"n\",\n"
                                              "      \"dtype\": \"s64\"\n"
                                              "    },\n"
                                              "    {\n"
                                              "      \"kind\": \"scalar\",\n"
                                              "      \"name\": \"alpha\",\n"
                                              "      \"dtype\": \"f32\"\n"
                                              "    }\n"
                                              "  ],\n"
                                              "  \"grid\": [\n"
                                              "    {\n"
                                              "      \"dim\": \"n\",\n"
                                              "      \"divisor\": 256\n"
                                              "    }\n"
                                              "  ],\n"
                                              "  \"persistent\": false,\n"
                                              "  \"block_threads\": 256,\n"
                                              "  \"cluster\": [\n"
                                              "    1,\n"
                                              "    1,\n"
                                              "    1\n"
                                              "  ],\n"
                                              "  \"dynamic_shared_bytes\": 0,\n"
                                              "  \"pdl\": false,\n"
                                              "  \"resources\": {\n"
                                              "    \"registers\": 10,\n"
                                              "    \"spill_store_bytes\": 0,\n"
                                              "    \"spill_load_bytes\": 0,\n"
                                              "    \"stack_bytes\": 0,\n"
                                              "    \"shared_bytes\": 0,\n"
                                              "    \"serialized_wgmma\": false,\n"
                                              "    \"remarks\": []\n"
                                              "  },\n"
                                              "  \"schedule\": {},\n"
                                              "  \"compiler\": \"by hand\",\n"
                                              "  \"assembler\": \"none: the driver takes the PTX\"\n"
                                              "}\n"
                                              "";

alignas(16) inline constexpr unsigned char kImage[1016] = {
    47,  47,  32,  80,  97,  114, 116, 32,  111, 102, 32,  84,  101, 103, 117, 108, 97,  46,  32,  83,  80,  68,  88,
    45,  76,  105, 99,  101, 110, 115, 101, 45,  73,  100, 101, 110, 116, 105, 102, 105, 101, 114, 58,  32,  65,  112,
    97,  99,  104, 101, 45,  50,  46,  48,  32,  87,  73,  84,  72,  32,  76,  76,  86,  77,  45,  101, 120, 99,  101,
    112, 116, 105, 111, 110, 10,  47,  47,  32,  121, 91,  105, 93,  32,  61,  32,  97,  108, 112, 104, 97,  32,  42,
    32,  120, 91,  105, 93,  32,  43,  32,  121, 91,  105, 93,  32,  102, 111, 114, 32,  105, 32,  60,  32,  110, 44,
    32,  98,  121, 32,  104, 97,  110, 100, 44,  32,  102, 111, 114, 32,  97,  110, 121, 32,  71,  80,  85,  32,  102,
    114, 111, 109, 32,  115, 109, 95,  56,  48,  32,  111, 110, 46,  10,  46,  118, 101, 114, 115, 105, 111, 110, 32,
    55,  46,  56,  10,  46,  116, 97,  114, 103, 101, 116, 32,  115, 109, 95,  56,  48,  10,  46,  97,  100, 100, 114,
    101, 115, 115, 95,  115, 105, 122, 101, 32,  54,  52,  10,  10,  46,  118, 105, 115, 105, 98,  108, 101, 32,  46,
    101, 110, 116, 114, 121, 32,  115, 97,  120, 112, 121, 40,  10,  32,  32,  32,  32,  46,  112, 97,  114, 97,  109,
    32,  46,  117, 54,  52,  32,  120, 44,  10,  32,  32,  32,  32,  46,  112, 97,  114, 97,  109, 32,  46,  117, 54,
    52,  32,  121, 44,  10,  32,  32,  32,  32,  46,  112, 97,  114, 97,  109, 32,  46,  117, 54,  52,  32,  110, 44,
    10,  32,  32,  32,  32,  46,  112, 97,  114, 97,  109, 32,  46,  102, 51,  50,  32,  97,  108, 112, 104, 97,  10,
    41,  10,  46,  109, 97,  120, 110, 116, 105, 100, 32,  50,  53,  54,  44,  32,  49,  44,  32,  49,  10,  123, 10,
    32,  32,  32,  32,  46,  114, 101, 103, 32,  46,  112, 114, 101, 100, 32,  37,  112, 59,  10,  32,  32,  32,  32,
    46,  114, 101, 103, 32,  46,  98,  51,  50,  32,  37,  114, 60,  52,  62,  59,  10,  32,  32,  32,  32,  46,  114,
    101, 103, 32,  46,  98,  54,  52,  32,  37,  114, 100, 60,  56,  62,  59,  10,  32,  32,  32,  32,  46,  114, 101,
    103, 32,  46,  102, 51,  50,  32,  37,  102, 60,  53,  62,  59,  10,  10,  32,  32,  32,  32,  109, 111, 118, 46,
    117, 51,  50,  32,  37,  114, 48,  44,  32,  37,  99,  116, 97,  105, 100, 46,  120, 59,  10,  32,  32,  32,  32,
    109, 111, 118, 46,  117, 51,  50,  32,  37,  114, 49,  44,  32,  37,  116, 105, 100, 46,  120, 59,  10,  32,  32,
    32,  32,  109, 117, 108, 46,  119, 105, 100, 101, 46,  117, 51,  50,  32,  37,  114, 100, 48,  44,  32,  37,  114,
    48,  44,  32,  50,  53,  54,  59,  10,  32,  32,  32,  32,  99,  118, 116, 46,  117, 54,  52,  46,  117, 51,  50,
    32,  37,  114, 100, 49,  44,  32,  37,  114, 49,  59,  10,  32,  32,  32,  32,  97,  100, 100, 46,  115, 54,  52,
    32,  37,  114, 100, 48,  44,  32,  37,  114, 100, 48,  44,  32,  37,  114, 100, 49,  59,  10,  32,  32,  32,  32,
    108, 100, 46,  112, 97,  114, 97,  109, 46,  117, 54,  52,  32,  37,  114, 100, 50,  44,  32,  91,  110, 93,  59,
    10,  32,  32,  32,  32,  115, 101, 116, 112, 46,  103, 101, 46,  115, 54,  52,  32,  37,  112, 44,  32,  37,  114,
    100, 48,  44,  32,  37,  114, 100, 50,  59,  10,  32,  32,  32,  32,  64,  37,  112, 32,  98,  114, 97,  32,  68,
    79,  78,  69,  59,  10,  10,  32,  32,  32,  32,  108, 100, 46,  112, 97,  114, 97,  109, 46,  117, 54,  52,  32,
    37,  114, 100, 51,  44,  32,  91,  120, 93,  59,  10,  32,  32,  32,  32,  108, 100, 46,  112, 97,  114, 97,  109,
    46,  117, 54,  52,  32,  37,  114, 100, 52,  44,  32,  91,  121, 93,  59,  10,  32,  32,  32,  32,  108, 100, 46,
    112, 97,  114, 97,  109, 46,  102, 51,  50,  32,  37,  102, 48,  44,  32,  91,  97,  108, 112, 104, 97,  93,  59,
    10,  32,  32,  32,  32,  99,  118, 116, 97,  46,  116, 111, 46,  103, 108, 111, 98,  97,  108, 46,  117, 54,  52,
    32,  37,  114, 100, 51,  44,  32,  37,  114, 100, 51,  59,  10,  32,  32,  32,  32,  99,  118, 116, 97,  46,  116,
    111, 46,  103, 108, 111, 98,  97,  108, 46,  117, 54,  52,  32,  37,  114, 100, 52,  44,  32,  37,  114, 100, 52,
    59,  10,  32,  32,  32,  32,  115, 104, 108, 46,  98,  54,  52,  32,  37,  114, 100, 53,  44,  32,  37,  114, 100,
    48,  44,  32,  50,  59,  10,  32,  32,  32,  32,  97,  100, 100, 46,  115, 54,  52,  32,  37,  114, 100, 54,  44,
    32,  37,  114, 100, 51,  44,  32,  37,  114, 100, 53,  59,  10,  32,  32,  32,  32,  97,  100, 100, 46,  115, 54,
    52,  32,  37,  114, 100, 55,  44,  32,  37,  114, 100, 52,  44,  32,  37,  114, 100, 53,  59,  10,  32,  32,  32,
    32,  108, 100, 46,  103, 108, 111, 98,  97,  108, 46,  102, 51,  50,  32,  37,  102, 49,  44,  32,  91,  37,  114,
    100, 54,  93,  59,  10,  32,  32,  32,  32,  108, 100, 46,  103, 108, 111, 98,  97,  108, 46,  102, 51,  50,  32,
    37,  102, 50,  44,  32,  91,  37,  114, 100, 55,  93,  59,  10,  32,  32,  32,  32,  102, 109, 97,  46,  114, 110,
    46,  102, 51,  50,  32,  37,  102, 51,  44,  32,  37,  102, 48,  44,  32,  37,  102, 49,  44,  32,  37,  102, 50,
    59,  10,  32,  32,  32,  32,  115, 116, 46,  103, 108, 111, 98,  97,  108, 46,  102, 51,  50,  32,  91,  37,  114,
    100, 55,  93,  44,  32,  37,  102, 51,  59,  10,  68,  79,  78,  69,  58,  10,  32,  32,  32,  32,  114, 101, 116,
    59,  10,  125, 10,
};

/// A tensor's address, and its strides in elements where it isn't dense.
template <size_t rank> struct Tensor {
  tegula::DevicePtr base = 0;
  std::array<int64_t, rank> strides = {};
  bool dense = true;

  Tensor() = default;
  Tensor(tegula::DevicePtr base_) : base(base_) {}
  Tensor(tegula::DevicePtr base_, std::array<int64_t, rank> strides_) : base(base_), strides(strides_), dense(false) {}
  [[nodiscard]] std::span<const int64_t> stride_view() const {
    return dense ? std::span<const int64_t>() : std::span<const int64_t>(strides);
  }
};

struct Arguments {
  Tensor<1> x; ///< f32, read
  Tensor<1> y; ///< f32, read and written
  int64_t n = 0;
  float alpha = {};
};

/// The kernel, loaded into a context.
class Launcher {
public:
  [[nodiscard]] static tegula::Result<Launcher> load(const tegula::Context &context) {
    TEGULA_TRY(tegula::Kernel kernel, tegula::load_embedded(context, kManifest, kImage));
    return Launcher(std::move(kernel));
  }

  [[nodiscard]] tegula::Result<void> launch(const Arguments &arguments,
                                            const tegula::LaunchOptions &options = {}) const {
    (void)arguments;
    const std::array<tegula::GlobalArg, 2> globals = {{
        {.name = "x",
         .base = arguments.x.base,
         .dtype = tegula::DType::f32,
         .strides = arguments.x.stride_view(),
         .extents = {}},
        {.name = "y",
         .base = arguments.y.base,
         .dtype = tegula::DType::f32,
         .strides = arguments.y.stride_view(),
         .extents = {}},
    }};
    const std::array<tegula::DimArg, 1> dims = {{
        {"n", arguments.n},
    }};
    const std::array<tegula::ScalarArg, 1> scalars = {{
        {"alpha", arguments.alpha},
    }};
    return kernel_.launch({globals, dims, scalars}, options);
  }

  [[nodiscard]] const tegula::Kernel &kernel() const { return kernel_; }

private:
  explicit Launcher(tegula::Kernel kernel) : kernel_(std::move(kernel)) {}
  tegula::Kernel kernel_;
};

} // namespace tegula_kernels::saxpy_sm_80
