// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments become registers, each rule on the least LLVM IR that shows it.
#include <catch2/catch.hpp>

#include "test/compiler/ptx/steps.h"

using namespace tegula;

static bool has(const std::string &text, std::string_view word) { return text.find(word) != std::string::npos; }

TEST_CASE("a loop-carried fragment becomes one phi an element") {
  std::string text = scalarized(R"(
    define float @f(i32 %n, float %x) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [0, %entry], [%j, %loop]
      %v = phi <4 x float> [zeroinitializer, %entry], [%w, %loop]
      %b = insertelement <4 x float> %v, float %x, i32 2
      %w = fmul <4 x float> %b, %b
      %j = add i32 %i, 1
      %more = icmp slt i32 %j, %n
      br i1 %more, label %loop, label %exit
    exit:
      %r = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %w)
      ret float %r
    })");
  INFO(text);
  CHECK(count(text, "phi float") == 3); // the fourth is overwritten before it is read
  CHECK(count(text, "fmul float") == 4);
  CHECK(count(text, "fmul float %x, %x") == 1);
  CHECK_FALSE(has(text, "phi <4 x"));
}

TEST_CASE("a 16-bit fragment is carried in registers of 32 bits and never taken apart on the way through") {
  std::string text = scalarized(R"(
    define void @f(i32 %n, <2 x i32> %start, ptr %p) {
    entry:
      %s = bitcast <2 x i32> %start to <4 x bfloat>
      br label %loop
    loop:
      %i = phi i32 [0, %entry], [%j, %loop]
      %v = phi <4 x bfloat> [%s, %entry], [%v, %loop]
      %high = shufflevector <4 x bfloat> %v, <4 x bfloat> poison, <2 x i32> <i32 2, i32 3>
      %word = bitcast <2 x bfloat> %high to i32
      store i32 %word, ptr %p
      %j = add i32 %i, 1
      %more = icmp slt i32 %j, %n
      br i1 %more, label %loop, label %exit
    exit:
      ret void
    })");
  INFO(text);
  CHECK(count(text, "phi i32") == 3);
  CHECK_FALSE(has(text, "bfloat"));
}

TEST_CASE("elements of a scalar are parts of it: a descriptor's low word") {
  std::string text = scalarized(R"(
    define i64 @f(i64 %d) {
      %v = bitcast i64 %d to <2 x i32>
      %low = extractelement <2 x i32> %v, i32 0
      %sum = add i32 %low, 2
      %w = insertelement <2 x i32> %v, i32 %sum, i32 0
      %r = bitcast <2 x i32> %w to i64
      ret i64 %r
    })");
  INFO(text);
  CHECK(has(text, "bitcast i64 %d to <2 x i32>"));
  CHECK(count(text, "insertelement") == 2);
}

TEST_CASE("what goes in as a register comes out as that register") {
  std::string text = scalarized(R"(
    define i32 @f(i32 %a, i32 %b) {
      %v0 = insertelement <2 x i32> poison, i32 %a, i32 0
      %v1 = insertelement <2 x i32> %v0, i32 %b, i32 1
      %h = bitcast <2 x i32> %v1 to <4 x half>
      %s = shufflevector <4 x half> %h, <4 x half> poison, <2 x i32> <i32 2, i32 3>
      %r = bitcast <2 x half> %s to i32
      ret i32 %r
    })");
  INFO(text);
  CHECK(has(text, "ret i32 %b"));
}

TEST_CASE("comparisons, selects, casts and intrinsics are done element by element, flags kept") {
  std::string text = scalarized(R"(
    declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)
    define float @f(<2 x float> %a, <2 x i32> %i, i1 %c) {
      %less = fcmp olt <2 x float> %a, zeroinitializer
      %wide = sitofp <2 x i32> %i to <2 x float>
      %s = select <2 x i1> %less, <2 x float> %a, <2 x float> %wide
      %t = select i1 %c, <2 x float> %s, <2 x float> %a
      %m = fmul contract <2 x float> %t, %t
      %n = fneg <2 x float> %m
      %r = call nnan <2 x float> @llvm.fma.v2f32(<2 x float> %n, <2 x float> %t, <2 x float> %s)
      %e = extractelement <2 x float> %r, i32 1
      ret float %e
    })");
  INFO(text);
  CHECK(count(text, "sitofp i32") == 1);
  CHECK(count(text, "fcmp olt float") == 1);
  CHECK(count(text, "fmul contract float") == 1);
  CHECK(has(text, "call nnan float @llvm.fma.f32"));
  CHECK_FALSE(has(text, "select <2 x i1>")); // the other elements are dead and gone
}

TEST_CASE("loads and stores of a few registers stay whole") {
  std::string text = scalarized(R"(
    define void @f(ptr addrspace(1) %p) {
      %v = load <4 x float>, ptr addrspace(1) %p, align 16
      %w = fadd <4 x float> %v, %v
      store <4 x float> %w, ptr addrspace(1) %p, align 16
      ret void
    })");
  INFO(text);
  CHECK(has(text, "load <4 x float>"));
  CHECK(has(text, "store <4 x float>"));
  CHECK(count(text, "fadd float") == 4);
}

TEST_CASE("an element at a variable place stays LLVM's") {
  std::string text = scalarized(R"(
    define float @f(<4 x float> %v, i32 %i) {
      %w = fadd <4 x float> %v, %v
      %e = extractelement <4 x float> %w, i32 %i
      ret float %e
    })");
  INFO(text);
  CHECK(has(text, "extractelement <4 x float> %"));
  CHECK(count(text, "fadd float") == 4);
}

TEST_CASE("edges of a switch from one block agree") {
  std::string text = scalarized(R"(
    define float @f(i32 %n, <2 x float> %v) {
    entry:
      switch i32 %n, label %other [ i32 0, label %join
                                    i32 1, label %join ]
    other:
      br label %join
    join:
      %p = phi <2 x float> [%v, %entry], [%v, %entry], [zeroinitializer, %other]
      %e = extractelement <2 x float> %p, i32 0
      ret float %e
    })");
  INFO(text);
  CHECK(has(text, "phi float [ %0, %entry ], [ %0, %entry ], [ 0.000000e+00, %other ]"));
}
