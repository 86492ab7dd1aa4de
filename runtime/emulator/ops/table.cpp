// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every opcode that is emulated and who decodes it. What is not here is refused at load.
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {

DecodeFn find_opcode(std::string_view opcode) {
  static const std::unordered_map<std::string_view, DecodeFn> table = {
      {"add", decode_arithmetic}, {"sub", decode_arithmetic}, {"div", decode_arithmetic}, {"rem", decode_arithmetic},
      {"min", decode_arithmetic}, {"max", decode_arithmetic}, {"abs", decode_arithmetic}, {"neg", decode_arithmetic},
      {"fma", decode_arithmetic}, {"sad", decode_arithmetic}, {"copysign", decode_arithmetic},
      {"mul", decode_mul}, {"mad", decode_mul}, {"mul24", decode_mul},
      {"dp4a", decode_dot}, {"dp2a", decode_dot}, {"addc", decode_carry}, {"subc", decode_carry},
      {"rcp", decode_approx}, {"sqrt", decode_approx}, {"rsqrt", decode_approx}, {"ex2", decode_approx},
      {"lg2", decode_approx}, {"sin", decode_approx}, {"cos", decode_approx}, {"tanh", decode_approx},
      {"testp", decode_testp},
      {"and", decode_logic}, {"or", decode_logic}, {"xor", decode_logic}, {"not", decode_logic}, {"cnot", decode_logic},
      {"shl", decode_shift}, {"shr", decode_shift}, {"shf", decode_funnel},
      {"bfe", decode_bitfield}, {"bfi", decode_bitfield}, {"bfind", decode_bitcount}, {"clz", decode_bitcount},
      {"popc", decode_bitcount}, {"brev", decode_bitcount}, {"prmt", decode_prmt}, {"lop3", decode_lop3},
      {"bmsk", decode_mask}, {"szext", decode_mask}, {"fns", decode_mask},
      {"mov", decode_mov}, {"cvta", decode_cvta}, {"isspacep", decode_isspacep},
      {"setp", decode_setp}, {"set", decode_set}, {"selp", decode_selp}, {"slct", decode_slct},
      {"cvt", decode_cvt},
      {"ld", decode_ld}, {"ldu", decode_ld}, {"st", decode_st}, {"prefetch", decode_prefetch},
      {"prefetchu", decode_prefetch}, {"discard", decode_prefetch}, {"applypriority", decode_prefetch},
      {"atom", decode_atom}, {"red", decode_atom},
      {"bra", decode_bra}, {"brx", decode_brx}, {"call", decode_call}, {"ret", decode_ret}, {"exit", decode_exit},
      {"trap", decode_trap}, {"brkpt", decode_trap},
      {"shfl", decode_shfl}, {"vote", decode_vote}, {"match", decode_match}, {"redux", decode_redux},
      {"activemask", decode_activemask}, {"elect", decode_elect},
      {"bar", decode_bar}, {"barrier", decode_bar}, {"membar", decode_fence}, {"fence", decode_fence},
      {"mbarrier", decode_mbarrier}, {"cp", decode_cp},
      {"ldmatrix", decode_ldmatrix}, {"stmatrix", decode_stmatrix}, {"movmatrix", decode_movmatrix},
      {"mma", decode_mma}, {"wgmma", decode_wgmma},
      {"setmaxnreg", decode_setmaxnreg}, {"griddepcontrol", decode_griddepcontrol}, {"nanosleep", decode_nanosleep},
      {"mapa", decode_mapa}, {"getctarank", decode_getctarank}, {"createpolicy", decode_createpolicy},
      {"pmevent", decode_pmevent},
  };
  auto it = table.find(opcode);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tegula::emulator
