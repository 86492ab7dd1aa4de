// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One decode function an opcode or family; ops/table.cpp lists the opcodes.
#pragma once

namespace tegula::emulator {

class Decoder;

void decode_arithmetic(Decoder &);
void decode_mul(Decoder &);
void decode_mad24(Decoder &);
void decode_dot(Decoder &);
void decode_distance(Decoder &);
void decode_carry(Decoder &);
void decode_approx(Decoder &);
void decode_testp(Decoder &);
void decode_logic(Decoder &);
void decode_shift(Decoder &);
void decode_funnel(Decoder &);
void decode_bitfield(Decoder &);
void decode_bitcount(Decoder &);
void decode_prmt(Decoder &);
void decode_lop3(Decoder &);
void decode_mask(Decoder &);
void decode_mov(Decoder &);
void decode_cvta(Decoder &);
void decode_isspacep(Decoder &);
void decode_setp(Decoder &);
void decode_set(Decoder &);
void decode_selp(Decoder &);
void decode_slct(Decoder &);
void decode_cvt(Decoder &);
void decode_ld(Decoder &);
void decode_st(Decoder &);
void decode_prefetch(Decoder &);
void decode_atom(Decoder &);
void decode_bra(Decoder &);
void decode_brx(Decoder &);
void decode_call(Decoder &);
void decode_ret(Decoder &);
void decode_exit(Decoder &);
void decode_trap(Decoder &);
void decode_shfl(Decoder &);
void decode_vote(Decoder &);
void decode_match(Decoder &);
void decode_redux(Decoder &);
void decode_activemask(Decoder &);
void decode_elect(Decoder &);
void decode_bar(Decoder &);
void decode_fence(Decoder &);
void decode_mbarrier(Decoder &);
void decode_cp(Decoder &);
void decode_cp_reduce(Decoder &);
void decode_ldmatrix(Decoder &);
void decode_stmatrix(Decoder &);
void decode_movmatrix(Decoder &);
void decode_mma(Decoder &);
void decode_wgmma(Decoder &);
void decode_wmma(Decoder &);
void decode_cvt_ue8m0(Decoder &);
void decode_cvt_stochastic(Decoder &);
void decode_async_store(Decoder &, bool reduce);
void decode_bulk_zeros(Decoder &);
void decode_tcgen05(Decoder &);
void decode_launch_control(Decoder &);
void decode_tensormap(Decoder &);
void decode_setmaxnreg(Decoder &);
void decode_griddepcontrol(Decoder &);
void decode_nanosleep(Decoder &);
void decode_mapa(Decoder &);
void decode_getctarank(Decoder &);
void decode_createpolicy(Decoder &);
void decode_pmevent(Decoder &);

} // namespace tegula::emulator
