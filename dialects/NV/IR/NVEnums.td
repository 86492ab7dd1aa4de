// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closed sets of instruction modifiers. The spelling is PTX's, so that lowering prints the case's name.
#ifndef TEGULA_NV_ENUMS_TD
#define TEGULA_NV_ENUMS_TD

include "NVDialect.td"

class NV_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::nv";
  let genSpecializedAttr = 0;
}
class NV_EnumAttr<NV_Enum enum, string mnemonic> : EnumAttr<NV_Dialect, enum, mnemonic> {
  let assemblyFormat = "$value";
}

def NV_Scope : NV_Enum<"Scope", "the threads that a fence orders memory for", [
  I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"cluster", 1>, I32EnumAttrCase<"gpu", 2>, I32EnumAttrCase<"sys", 3>]>;
def NV_ScopeAttr : NV_EnumAttr<NV_Scope, "scope">;

def NV_L2Policy : NV_Enum<"L2Policy", "what L2 keeps of a bulk copy's lines", [
  I32EnumAttrCase<"evict_normal", 0>, I32EnumAttrCase<"evict_first", 1>, I32EnumAttrCase<"evict_last", 2>]>;
def NV_L2PolicyAttr : NV_EnumAttr<NV_L2Policy, "l2_policy">;

def NV_Access : NV_Enum<"Access", "how a load or store treats caches and order", [
  I32EnumAttrCase<"weak", 0>, I32EnumAttrCase<"nc", 1>, I32EnumAttrCase<"evict_first", 2>,
  I32EnumAttrCase<"evict_last", 3>, I32EnumAttrCase<"no_allocate", 4>, I32EnumAttrCase<"relaxed", 5>,
  I32EnumAttrCase<"acquire", 6>, I32EnumAttrCase<"release", 7>]>;
def NV_AccessAttr : NV_EnumAttr<NV_Access, "access">;

def NV_Order : NV_Enum<"Order", "memory order of an atomic", [
  I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
  I32EnumAttrCase<"acq_rel", 3>]>;
def NV_OrderAttr : NV_EnumAttr<NV_Order, "order">;

def NV_ReduceKind : NV_Enum<"ReduceKind", "what a TMA reduction does at its destination", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"min", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"inc", 3>,
  I32EnumAttrCase<"dec", 4>, I32EnumAttrCase<"and_", 5, "and">, I32EnumAttrCase<"or_", 6, "or">,
  I32EnumAttrCase<"xor_", 7, "xor">]>;
def NV_ReduceKindAttr : NV_EnumAttr<NV_ReduceKind, "reduce_kind">;

def NV_MmaType : NV_Enum<"MmaType", "element type of a wgmma operand in memory", [
  I32EnumAttrCase<"bf16", 0>, I32EnumAttrCase<"f16", 1>, I32EnumAttrCase<"tf32", 2>, I32EnumAttrCase<"e4m3", 3>,
  I32EnumAttrCase<"e5m2", 4>, I32EnumAttrCase<"s8", 5>, I32EnumAttrCase<"u8", 6>]>;
def NV_MmaTypeAttr : NV_EnumAttr<NV_MmaType, "mma_type">;

def NV_RegisterChange : NV_Enum<"RegisterChange", "direction of setmaxnreg", [
  I32EnumAttrCase<"inc", 0>, I32EnumAttrCase<"dec", 1>]>;
def NV_RegisterChangeAttr : NV_EnumAttr<NV_RegisterChange, "register_change">;

def NV_ApproxKind : NV_Enum<"ApproxKind", "functions of the special function unit", [
  I32EnumAttrCase<"ex2", 0>, I32EnumAttrCase<"lg2", 1>, I32EnumAttrCase<"rcp", 2>, I32EnumAttrCase<"rsqrt", 3>,
  I32EnumAttrCase<"sqrt", 4>, I32EnumAttrCase<"tanh", 5>, I32EnumAttrCase<"sin", 6>, I32EnumAttrCase<"cos", 7>]>;
def NV_ApproxKindAttr : NV_EnumAttr<NV_ApproxKind, "approx_kind">;

#endif
