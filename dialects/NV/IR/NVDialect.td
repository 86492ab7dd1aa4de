// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `nv` dialect: one op an instruction family of the GPU, every operand typed. Knows no tiles and no layouts.
#ifndef TEGULA_NV_DIALECT_TD
#define TEGULA_NV_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NV_Dialect : Dialect {
  let name = "nv";
  let cppNamespace = "::tegula::nv";
  let summary = "the GPU's asynchronous machine, an op an instruction family";
  let description = [{
    What one thread of a kernel executes. Addresses of shared memory are 32 bits, global pointers are `!llvm.ptr<1>`,
    and what a thread holds of a register tile is a `vector<NxT>`: its registers in the order of the instruction's
    fragment. Scalars and vectors are computed on with `arith`, `math`, `vector`, control flow is `scf`.

    An op's rules carry ids (`W2`); the verifier names the id and the source of each. "PTX" is the PTX ISA, 9.0.
    Ops that the hardware calls `.aligned` (wgmma, ldmatrix, named barriers, setmaxnreg, shuffles, elect) must be met by
    all threads of the warp together.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class NV_Op<string mnemonic, list<Trait> traits = []> : Op<NV_Dialect, mnemonic, traits>;

// Reads or writes memory, or takes part in synchronisation: never moved, merged or dropped.
class NV_EffectOp<string mnemonic, list<Trait> traits = []>
    : NV_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

#endif
