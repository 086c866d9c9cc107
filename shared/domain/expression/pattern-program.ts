import type { CharacterSet } from './character-set.ts';
import { copiesOf, type Assertion, type PatternNode } from './pattern-syntax.ts';

/** One instruction of a compiled regular expression. Unless it is a jump, split or accept, the next one follows. */
export type Instruction =
  | { readonly kind: 'set'; readonly set: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  | { readonly kind: 'jump'; readonly to: number }
  | { readonly kind: 'accept' };

/** A compiled regular expression: its instructions, and the character sets to which they refer by index. */
export interface PatternProgram {
  readonly program: readonly Instruction[];
  readonly sets: readonly CharacterSet[];
}

/** Compiles the syntax tree of a regular expression. A repetition `x{3}` becomes three copies of the code of `x`. */
export function compilePattern(tree: PatternNode): PatternProgram {
  const program: Instruction[] = [];
  const sets: CharacterSet[] = [];

  function emit(node: PatternNode): void {
    switch (node.kind) {
      case 'set':
        program.push({ kind: 'set', set: sets.push(node.set) - 1 });
        return;
      case 'assertion':
        program.push({ kind: 'assert', assertion: node.assertion });
        return;
      case 'sequence':
        node.nodes.forEach(emit);
        return;
      case 'choice':
        emitChoice(node.nodes);
        return;
      default:
        emitRepeat(node);
    }
  }

  function emitChoice([first, ...others]: readonly PatternNode[]): void {
    if (first === undefined) return;
    if (others.length === 0) return emit(first);
    const split = reserve();
    emit(first);
    const jump = reserve();
    program[split] = { kind: 'split', first: split + 1, second: program.length };
    emitChoice(others);
    program[jump] = { kind: 'jump', to: program.length };
  }

  function emitRepeat(repeat: PatternNode & { readonly kind: 'repeat' }): void {
    const { node, min, max } = repeat;
    const exits: number[] = [];
    let lastCopy = program.length;
    for (let copy = 0; copy < copiesOf(repeat); copy++) {
      if (copy >= min) exits.push(reserve());
      lastCopy = program.length;
      emit(node);
    }
    if (max === Infinity) program.push({ kind: 'split', first: lastCopy, second: program.length + 1 });
    for (const exit of exits) program[exit] = { kind: 'split', first: exit + 1, second: program.length };
  }

  function reserve(): number {
    return program.push({ kind: 'accept' }) - 1;
  }

  emit(tree);
  program.push({ kind: 'accept' });
  return { program, sets };
}
