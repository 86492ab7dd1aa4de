// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line needs of attention: parameters, kernels, words; and one case on a device.
#include "kernels/attention/check/attention_entry.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "kernels/attention/check/attention_reference.h"
#include "kernels/attention/plan.h"
#include "kernels/check/device_image.h"

namespace tegula {
namespace {

constexpr std::array<std::string_view, 1> kTargets = {"sm_90a"};

// Addresses of which only the alignment counts.
Result<AttentionArgs> sample_call(const AttentionCase &test) {
  const AttentionArgs args = call_of(test, {1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24});
  TEGULA_CHECK(validate(args));
  return args;
}

Result<AttentionPlan> plan_of(const ParameterValues &values) {
  TEGULA_TRY(const AttentionCase test, read_attention_case(values));
  TEGULA_TRY(const AttentionArgs args, sample_call(test));
  TEGULA_TRY(const std::optional<AttentionSchedule> forced, forced_schedule(test));
  AttentionPlan plan = make_plan(args, AttentionMachine(), forced ? &*forced : nullptr);
  TEGULA_CHECK(validate(plan.problem, plan.schedule));
  return plan;
}

Result<std::vector<KernelPart>> parts(const ParameterValues &values, std::string_view) {
  TEGULA_TRY(const AttentionCase test, read_attention_case(values));
  TEGULA_TRY(const AttentionArgs args, sample_call(test));
  if (is_empty(args))
    return std::vector<KernelPart>();
  if (args.seq_kv == 0)
    return std::vector<KernelPart>{{"attention_without_keys", attention_without_keys_source(problem_of(args))}};
  TEGULA_TRY(const AttentionPlan plan, plan_of(values));
  std::vector<KernelPart> list{{"attention", attention_source(plan.problem, plan.schedule)}};
  if (plan.problem.partial)
    list.push_back({"combine_parts", combine_parts_source(problem_of(args), plan.splits)});
  return list;
}

Result<std::string> explain(const ParameterValues &values) {
  TEGULA_TRY(const AttentionCase test, read_attention_case(values));
  TEGULA_TRY(const AttentionArgs args, sample_call(test));
  TEGULA_TRY(const std::optional<AttentionSchedule> forced, forced_schedule(test));
  if (!is_empty(args) && args.seq_kv > 0)
    TEGULA_CHECK(plan_of(values)); // whether it can be built
  return explain_call(args, AttentionMachine(), forced ? &*forced : nullptr);
}

Result<CheckReport> check(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const AttentionCase test, read_attention_case(values));
  return check_attention(session, test);
}

std::vector<std::string> random_words(uint64_t seed) {
  std::istringstream text(to_string(random_attention_case(seed)));
  return {std::istream_iterator<std::string>(text), {}};
}

bool same(const GuardedImage &a, const GuardedImage &b) { return a.bytes() == b.bytes(); }

} // namespace

Result<std::optional<AttentionSchedule>> forced_schedule(const AttentionCase &test) {
  if (test.schedule.empty())
    return std::optional<AttentionSchedule>();
  TEGULA_TRY(const AttentionArgs args, sample_call(test));
  if (is_empty(args))
    return std::optional<AttentionSchedule>();
  const AttentionSchedule chosen = make_plan(args).schedule;
  TEGULA_TRY(const AttentionSchedule schedule, parse_attention_schedule(test.schedule, chosen));
  return std::optional(schedule);
}

Result<CheckReport> check_attention(Session &session, const AttentionCase &test) {
  CheckReport report{.input = to_string(test), .path = {}, .fault = {}};
  TEGULA_TRY(const std::optional<AttentionSchedule> forced, forced_schedule(test));
  Attention attention(session.context, session.jit, {.schedule = forced});
  AttentionImages images = make_images(test);
  const AttentionImages poisoned = images;
  TEGULA_TRY(const DeviceImage q, DeviceImage::upload(session.context, images.q));
  TEGULA_TRY(const DeviceImage k, DeviceImage::upload(session.context, images.k));
  TEGULA_TRY(const DeviceImage v, DeviceImage::upload(session.context, images.v));
  TEGULA_TRY(DeviceImage o, DeviceImage::upload(session.context, images.o));
  TEGULA_TRY(DeviceImage lse, DeviceImage::upload(session.context, images.lse));
  const AttentionArgs args = call_of(test, {q.address(), k.address(), v.address(), o.address(), lse.address()});
  TEGULA_TRY(report.path, attention.explain(args));
  const auto run = [&](AttentionImages &to) -> Result<void> {
    TEGULA_CHECK(attention.run(args, session.stream));
    TEGULA_CHECK(session.stream.synchronize());
    TEGULA_CHECK(o.download(to.o));
    return lse.download(to.lse);
  };
  TEGULA_CHECK(run(images));
  const AttentionVerdict verdict = verify_attention(test, images);
  report.checked = verdict.checked, report.worst = verdict.worst, report.fault = verdict.fault;
  if (!report.passed())
    return report;
  AttentionImages again = poisoned;
  TEGULA_CHECK(o.refill(poisoned.o));
  TEGULA_CHECK(lse.refill(poisoned.lse));
  TEGULA_CHECK(run(again));
  if (!same(images.o, again.o) || !same(images.lse, again.lse))
    report.fault = "a second run gave other bits";
  return report;
}

KernelEntry attention_entry() {
  return {"attention", "O = softmax(scale · Q · Kᵀ + mask) · V and its log-sum-exp, bf16 or fp16",
          kTargets,    attention_parameters,
          parts,       explain,
          check,       random_words};
}

} // namespace tegula
