// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One case on a device: upload, run, download, compare.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/check/device_image.h"
#include "kernels/gemm/check/gemm_entry.h"
#include "kernels/gemm/check/gemm_reference.h"

namespace tegula {
namespace {

constexpr int64_t kRepeatBytes = 64 << 20; // larger outputs are not computed a second time

GuardedImage workspace_image(int64_t size) {
  GuardedImage image({.dtype = DType::u8, .extents = {1, 1, size}, .strides = {0, 0, 1}});
  image.poison();
  return image;
}

// Operands that the call doesn't read stay at null: to touch one is a fault.
Result<std::optional<DeviceImage>> upload_if(bool wanted, const Session &session, const GuardedImage &image) {
  if (!wanted)
    return std::optional<DeviceImage>();
  TEGULA_TRY(DeviceImage device, DeviceImage::upload(session.context, image));
  return std::optional(std::move(device));
}

DevicePtr address_of(const std::optional<DeviceImage> &image) { return image ? image->address() : 0; }

Result<void> run_once(Session &session, Gemm &gemm, const GemmArgs &args, const GemmWorkspace &workspace) {
  TEGULA_CHECK(gemm.run(args, session.stream, workspace));
  return session.stream.synchronize();
}

Result<CheckReport> run_and_compare(Session &session, Gemm &gemm, const GemmCase &test) {
  CheckReport report{.input = to_string(test), .path = {}, .fault = {}};
  GemmImages images = make_images(test);
  const GuardedImage poisoned = images.d;
  TEGULA_TRY(const auto a, upload_if(test.k > 0, session, images.a));
  TEGULA_TRY(const auto b, upload_if(test.k > 0, session, images.b));
  TEGULA_TRY(const auto c, upload_if(test.beta != 0, session, images.c));
  TEGULA_TRY(const auto bias, upload_if(test.bias != BiasAxis::none, session, images.bias));
  TEGULA_TRY(DeviceImage d, DeviceImage::upload(session.context, images.d));
  const GemmArgs args = call_of(test, {address_of(a), address_of(b), address_of(c), d.address(), address_of(bias)});
  TEGULA_TRY(report.path, gemm.explain(args));
  TEGULA_TRY(const int64_t workspace_bytes, gemm.workspace_bytes(args));
  GuardedImage scratch = workspace_image(workspace_bytes);
  TEGULA_TRY(DeviceImage device_scratch, DeviceImage::upload(session.context, scratch));
  const GemmWorkspace workspace{device_scratch.address(), workspace_bytes};

  TEGULA_CHECK(run_once(session, gemm, args, workspace));
  TEGULA_CHECK(d.download(images.d));
  const GemmVerdict verdict = verify_gemm(test, images);
  report.checked = verdict.checked, report.worst = verdict.worst, report.fault = verdict.fault;
  TEGULA_CHECK(device_scratch.download(scratch));
  if (const std::string damage = scratch.damage(); report.passed() && !damage.empty())
    report.fault = "in the workspace, " + damage;
  if (!report.passed() || static_cast<int64_t>(images.d.bytes().size()) > kRepeatBytes)
    return report;

  GuardedImage again = poisoned;
  TEGULA_CHECK(d.refill(poisoned));
  TEGULA_CHECK(run_once(session, gemm, args, workspace));
  TEGULA_CHECK(d.download(again));
  const auto [first, second] = std::mismatch(images.d.bytes().begin(), images.d.bytes().end(), again.bytes().begin());
  if (first != images.d.bytes().end())
    report.fault = fmt::format("a second run gave other bits, first at byte {} of D",
                               first - images.d.bytes().begin() - images.d.origin());
  return report;
}

} // namespace

Result<CheckReport> check_gemm(Session &session, Gemm &gemm, const GemmCase &test) {
  const DeviceInfo &device = session.context.device();
  TEGULA_TRY(const std::optional<GemmSchedule> forced,
             forced_schedule(test, {device.multiprocessors, device.shared_bytes_per_block}));
  if (!forced)
    return run_and_compare(session, gemm, test);
  Gemm own(session.context, session.jit, {.schedule = forced});
  return run_and_compare(session, own, test);
}

} // namespace tegula
