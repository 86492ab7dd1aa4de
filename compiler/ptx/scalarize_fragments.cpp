// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk in reverse post-order that notes where each element of each vector lies, then the phis' other ends.
#include "compiler/ptx/scalarize_fragments.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

namespace tegula {

namespace {

/// Where an element lies: it is part `part` of `parts` equal parts of a value's bits. One of one: it is the value.
struct Element {
  llvm::Value *whole = nullptr;
  unsigned part = 0, parts = 1;
};
using Elements = llvm::SmallVector<Element>;

llvm::FixedVectorType *vectorType(llvm::Value *value) {
  return llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
}

class Scalarizer {
public:
  explicit Scalarizer(llvm::Function &function) : function(function), builder(function.getContext()) {}

  void run() {
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
        visit(instruction);
    for (llvm::PHINode *phi : phis)
      connect(phi);
    eraseReplaced();
  }

private:
  void visit(llvm::Instruction &instruction);
  void visitPhi(llvm::PHINode &phi);
  bool visitBitCast(llvm::BitCastInst &cast);
  bool visitElementwise(llvm::Instruction &instruction);
  void keep(llvm::Instruction &instruction);
  void connect(llvm::PHINode *phi);
  void eraseReplaced();

  const Elements &elementsOf(llvm::Value *vector);
  Elements insertedElements(llvm::InsertElementInst *last);
  llvm::Value *materialize(const Element &element, llvm::Type *type);
  llvm::Value *gather(llvm::ArrayRef<Element> elements, llvm::Type *elementType, llvm::Type *type);
  llvm::Value *elementAt(llvm::Value *vector, unsigned index);

  /// The instruction's elements are known: nothing uses it once all is done.
  void replaceBy(llvm::Instruction &instruction, Elements elements) {
    known[&instruction] = std::move(elements);
    replaced.push_back(&instruction);
  }
  void replaceBy(llvm::Instruction &instruction, llvm::Value *value) {
    instruction.replaceAllUsesWith(value);
    replaced.push_back(&instruction);
  }

  llvm::Function &function;
  llvm::IRBuilder<> builder;
  llvm::DenseMap<llvm::Value *, Elements> known;
  llvm::SmallVector<llvm::PHINode *> phis;
  llvm::SmallVector<llvm::Instruction *> replaced;
};

// --- where elements lie ---

Elements Scalarizer::insertedElements(llvm::InsertElementInst *last) {
  unsigned count = vectorType(last)->getNumElements();
  Elements elements(count);
  llvm::Value *vector = last;
  for (unsigned missing = count; missing != 0;) {
    auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector);
    auto *index = insert ? llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2)) : nullptr;
    if (!index || known.contains(vector)) {
      const Elements &rest = elementsOf(vector);
      for (auto [element, below] : llvm::zip_equal(elements, rest))
        if (!element.whole)
          element = below;
      break;
    }
    if (Element &element = elements[index->getZExtValue()]; !element.whole) {
      element = {insert->getOperand(1)};
      --missing;
    }
    vector = insert->getOperand(0);
  }
  return elements;
}

/// A chain of insertions is followed only where its end is asked for, so that the chain costs its length once.
const Elements &Scalarizer::elementsOf(llvm::Value *vector) {
  if (auto found = known.find(vector); found != known.end())
    return found->second;
  unsigned count = vectorType(vector)->getNumElements();
  Elements elements;
  auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector);
  if (insert && llvm::isa<llvm::ConstantInt>(insert->getOperand(2))) {
    elements = insertedElements(insert);
  } else if (auto *constant = llvm::dyn_cast<llvm::Constant>(vector);
             constant && constant->getAggregateElement(0u) != nullptr) {
    for (unsigned i = 0; i < count; ++i)
      elements.push_back({constant->getAggregateElement(i)});
  } else {
    for (unsigned i = 0; i < count; ++i)
      elements.push_back({vector, i, count});
  }
  return known[vector] = std::move(elements);
}

// --- values out of places; the builder stands where they are wanted ---

llvm::Value *Scalarizer::materialize(const Element &element, llvm::Type *type) {
  if (element.parts == 1)
    return element.whole->getType() == type ? element.whole : builder.CreateBitCast(element.whole, type);
  auto *split = llvm::FixedVectorType::get(type, element.parts);
  llvm::Value *vector = element.whole->getType() == split ? element.whole : builder.CreateBitCast(element.whole, split);
  return builder.CreateExtractElement(vector, uint64_t(element.part));
}

/// True for consecutive parts of one value that together are one of its parts of their joint size.
bool areOnePart(llvm::ArrayRef<Element> elements) {
  const Element &first = elements.front();
  size_t count = elements.size();
  return first.part % count == 0 && first.parts % count == 0 && llvm::all_of(llvm::enumerate(elements), [&](auto item) {
           const Element &element = item.value();
           return element.whole == first.whole && element.parts == first.parts &&
                  element.part == first.part + item.index();
         });
}

/// One value of `type` from elements that fill its bits, lowest first.
llvm::Value *Scalarizer::gather(llvm::ArrayRef<Element> elements, llvm::Type *elementType, llvm::Type *type) {
  const Element &first = elements.front();
  unsigned count = static_cast<unsigned>(elements.size());
  if (areOnePart(elements)) {
    Element joint = {first.whole, first.part / count, first.parts / count};
    if (joint.parts == 1 || !type->isVectorTy())
      return materialize(joint, type);
    return builder.CreateBitCast(materialize(joint, builder.getIntNTy(type->getPrimitiveSizeInBits())), type);
  }
  if (elements.size() == 1)
    return builder.CreateBitCast(materialize(first, elementType), type);
  auto *split = llvm::FixedVectorType::get(elementType, static_cast<unsigned>(elements.size()));
  llvm::Value *vector = llvm::PoisonValue::get(split);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = builder.CreateInsertElement(vector, materialize(element, elementType), uint64_t(i));
  return split == type ? vector : builder.CreateBitCast(vector, type);
}

llvm::Value *Scalarizer::elementAt(llvm::Value *vector, unsigned index) {
  return materialize(elementsOf(vector)[index], vectorType(vector)->getElementType());
}

// --- instructions ---

void Scalarizer::visitPhi(llvm::PHINode &phi) {
  auto *type = vectorType(&phi);
  unsigned count = type->getNumElements(), bits = type->getScalarSizeInBits();
  // Narrow elements stay together in registers of 32 bits.
  unsigned perRegister = bits < 32 && bits >= 8 && count % (32 / bits) == 0 ? 32 / bits : 1;
  llvm::Type *registerType = perRegister == 1 ? type->getElementType() : builder.getInt32Ty();
  builder.SetInsertPoint(&phi);
  Elements elements;
  for (unsigned i = 0; i < count; i += perRegister) {
    llvm::PHINode *part = builder.CreatePHI(registerType, phi.getNumIncomingValues());
    for (unsigned j = 0; j < perRegister; ++j)
      elements.push_back({part, j, perRegister});
  }
  phis.push_back(&phi);
  replaceBy(phi, std::move(elements));
}

void Scalarizer::connect(llvm::PHINode *phi) {
  Elements own = known[phi];
  for (unsigned edge = 0; edge < phi->getNumIncomingValues(); ++edge) {
    llvm::BasicBlock *from = phi->getIncomingBlock(edge);
    builder.SetInsertPoint(from->getTerminator());
    Elements incoming = elementsOf(phi->getIncomingValue(edge));
    for (size_t i = 0; i < own.size(); i += own[i].parts) {
      auto *part = llvm::cast<llvm::PHINode>(own[i].whole);
      // A switch may come from one block along several edges, which must agree.
      if (int seen = part->getBasicBlockIndex(from); seen >= 0) {
        part->addIncoming(part->getIncomingValue(seen), from);
        continue;
      }
      part->addIncoming(
          gather(llvm::ArrayRef(incoming).slice(i, own[i].parts), vectorType(phi)->getElementType(), part->getType()),
          from);
    }
  }
}

bool Scalarizer::visitBitCast(llvm::BitCastInst &cast) {
  llvm::Value *source = cast.getOperand(0);
  auto *from = vectorType(source), *to = vectorType(&cast);
  unsigned fromCount = from ? from->getNumElements() : 1, toCount = to ? to->getNumElements() : 1;
  llvm::Type *toElement = to ? to->getElementType() : cast.getType();
  llvm::Type *fromElement = from ? from->getElementType() : source->getType();
  if (!from) { // a scalar's parts
    Elements elements;
    for (unsigned i = 0; i < toCount; ++i)
      elements.push_back({source, i, toCount});
    return replaceBy(cast, std::move(elements)), true;
  }
  Elements elements = elementsOf(source), results;
  if (!to) {
    replaceBy(cast, gather(elements, fromElement, toElement));
    return true;
  }
  if (toCount >= fromCount && toCount % fromCount == 0) { // to parts of what there is
    unsigned ratio = toCount / fromCount;
    for (const Element &element : elements)
      for (unsigned i = 0; i < ratio; ++i)
        results.push_back({element.whole, element.part * ratio + i, element.parts * ratio});
    return replaceBy(cast, std::move(results)), true;
  }
  if (fromCount % toCount != 0)
    return false;
  unsigned ratio = fromCount / toCount;
  for (unsigned i = 0; i < fromCount; i += ratio)
    results.push_back({gather(llvm::ArrayRef(elements).slice(i, ratio), fromElement, toElement)});
  replaceBy(cast, std::move(results));
  return true;
}

/// True for what computes each element from the like elements of its operands.
bool isElementwise(llvm::Instruction &instruction) {
  if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst>(
          instruction))
    return true;
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return vectorType(cast->getOperand(0)) && vectorType(cast);
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && llvm::isTriviallyVectorizable(call->getIntrinsicID());
}

bool Scalarizer::visitElementwise(llvm::Instruction &instruction) {
  auto *type = vectorType(&instruction);
  if (!type || !isElementwise(instruction))
    return false;
  Elements results;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::SmallVector<llvm::Value *> operands;
    for (llvm::Value *operand : instruction.operand_values())
      operands.push_back(vectorType(operand) ? elementAt(operand, i) : operand);
    llvm::Instruction *scalar;
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      llvm::SmallVector<llvm::Value *> arguments(operands.begin(), operands.begin() + call->arg_size());
      scalar = builder.CreateIntrinsic(type->getElementType(), call->getIntrinsicID(), arguments);
    } else {
      scalar = instruction.clone();
      for (auto [number, operand] : llvm::enumerate(operands))
        scalar->setOperand(static_cast<unsigned>(number), operand);
      scalar->mutateType(type->getElementType());
      builder.Insert(scalar);
    }
    scalar->copyIRFlags(&instruction);
    results.push_back({scalar});
  }
  replaceBy(instruction, std::move(results));
  return true;
}

/// The instruction stays, with its vectors; an operand that is being replaced is put together for it.
void Scalarizer::keep(llvm::Instruction &instruction) {
  for (llvm::Use &use : instruction.operands()) {
    llvm::Value *value = use.get();
    if (!vectorType(value) || llvm::isa<llvm::Constant>(value))
      continue;
    bool own = !llvm::isa<llvm::InsertElementInst>(value) && !known.contains(value);
    if (!own)
      use.set(gather(elementsOf(value), vectorType(value)->getElementType(), value->getType()));
  }
}

void Scalarizer::visit(llvm::Instruction &instruction) {
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    if (vectorType(phi))
      visitPhi(*phi);
    return;
  }
  bool touches = vectorType(&instruction) ||
                 llvm::any_of(instruction.operand_values(), [](llvm::Value *value) { return vectorType(value); });
  if (!touches)
    return;
  builder.SetInsertPoint(&instruction);
  if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
      insert && llvm::isa<llvm::ConstantInt>(insert->getOperand(2))) {
    replaced.push_back(insert); // looked at from its end
    return;
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    if (index && index->getValue().ult(vectorType(extract->getVectorOperand())->getNumElements()))
      return replaceBy(*extract, elementAt(extract->getVectorOperand(), index->getZExtValue()));
  }
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    Elements first = elementsOf(shuffle->getOperand(0)), second = elementsOf(shuffle->getOperand(1)), results;
    first.append(second);
    for (int place : shuffle->getShuffleMask())
      results.push_back(place < 0 ? Element{llvm::PoisonValue::get(vectorType(shuffle)->getElementType())}
                                  : first[static_cast<size_t>(place)]);
    return replaceBy(*shuffle, std::move(results));
  }
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction); cast && visitBitCast(*cast))
    return;
  if (!visitElementwise(instruction))
    keep(instruction);
}

void Scalarizer::eraseReplaced() {
  for (llvm::Instruction *instruction : llvm::reverse(replaced)) {
    if (!instruction->use_empty())
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
}

} // namespace

void scalarize_fragments(llvm::Function &function) { Scalarizer(function).run(); }

} // namespace tegula
