import { hasCharacter, sideOf, type CharacterSet, type Side } from './character-set.ts';
import { compilePattern, type Instruction } from './pattern-program.ts';
import { parsePatternTree, type Assertion, type PatternNode } from './pattern-syntax.ts';

/** The characters that no step of the pattern tells apart. */
interface CharacterClass {
  readonly index: number;
  readonly side: Side;
  /** By number of a set: whether it has these characters. */
  readonly isIn: readonly boolean[];
}

/** Where the pattern can be between two characters; `next` by the index of the class of the character that follows. */
interface State {
  /** Steps that were reached, before those that need no character. */
  readonly steps: readonly number[];
  readonly before: Side;
  readonly next: (State | 'found')[];
}

/** States that are kept; a pattern and text that need more only take longer. */
const STATES_MAX = 256;
/**
 * Instructions that are carried out for one text. Only what no state is kept for counts, so that nearly all texts of any
 * length need a few hundred; a pattern that makes new states all the time is stopped after some ten milliseconds.
 */
const WORK_MAX = 1_000_000;
const ASCII_END = 0x80;
/** Characters outside of ASCII whose class is kept. */
const CHARACTERS_MAX = 4096;

/** The end of the text, as a class of its own. */
const END: CharacterClass = { index: 0, side: 'edge', isIn: [] };

interface PatternOptions {
  readonly ignoresCase: boolean;
  /** Position of the pattern in the whole text, for problems. */
  readonly offset?: number;
  /** Instructions that are carried out for one text. */
  readonly workMax?: number;
  /** Steps of all states that are kept: for a program that has many patterns. */
  readonly keptStepsMax?: number;
}

/**
 * A regular expression that takes time linear in its text, whatever the text: all ways through the pattern are followed
 * at once (K. Thompson, Regular expression search algorithm, 1968), and where they lead is remembered.
 *
 * Of our own because work must be bounded: re2js 2.10 finds as fast or faster (a line of a log 0.1 against 0.9 us, an
 * absent word in 256 KiB 0.07 against 6.3 ms), but takes 1.5 s where this one gives up after 0.1 s (`a[ab]{250}c` in
 * 256 KiB) and cannot be told to stop, needs 101 us to compile what takes 18 here, says nothing of the place of a problem,
 * and brings 263 kB to programs that people wait for.
 */
export class Pattern {
  readonly #program: readonly Instruction[];
  readonly #sets: readonly CharacterSet[];
  readonly #ignoresCase: boolean;
  readonly #classes = new Map<string, CharacterClass>();
  readonly #asciiClasses: CharacterClass[] = [];
  readonly #otherClasses = new Map<number, CharacterClass>();
  readonly #states = new Map<string, State>();
  readonly #reached: Steps;
  readonly #next: Steps;
  readonly #workMax: number;
  readonly #keptStepsMax: number;
  #keptSteps = 0;
  /** Left for the text that is searched. */
  #work = 0;

  /**
   * @param source the text of the pattern, or a tree that another parser made (RE2, for example)
   * @throws SyntaxProblem
   */
  constructor(source: string | PatternNode, options: PatternOptions) {
    const { ignoresCase, offset = 0, workMax = WORK_MAX, keptStepsMax = Infinity } = options;
    const { program, sets } = compilePattern(typeof source === 'string' ? parsePatternTree(source, offset) : source);
    this.#workMax = workMax;
    this.#keptStepsMax = keptStepsMax;
    this.#program = program;
    this.#sets = sets;
    this.#ignoresCase = ignoresCase;
    this.#reached = new Steps(program.length);
    this.#next = new Steps(program.length);
  }

  /** Whether the pattern is found anywhere in the text; undefined when that is too much work to find out. */
  isFoundIn(text: string): boolean | undefined {
    this.#work = this.#workMax;
    let state: State = this.#stateOf([0], 'edge');
    let position = 0;
    while (position <= text.length) {
      const character = text.codePointAt(position);
      const next = this.#following(state, character === undefined ? END : this.#classOf(character));
      if (next === 'found') return true;
      if (this.#work < 0) return undefined;
      state = next;
      position += character !== undefined && character > 0xff_ff ? 2 : 1;
    }
    return false;
  }

  #following(state: State, character: CharacterClass): State | 'found' {
    return (state.next[character.index] ??= this.#step(state, character));
  }

  #step(state: State, character: CharacterClass): State | 'found' {
    const reached = this.#reached;
    const next = this.#next;
    reached.reset(state.steps);
    // The search may begin at every character.
    next.reset([0]);
    // Grows while it is walked through.
    for (let index = 0; index < reached.size; index++) {
      const at = reached.at(index);
      const instruction = this.#program[at];
      switch (instruction?.kind) {
        case 'set':
          if (character.isIn[instruction.set] === true) next.add(at + 1);
          break;
        case 'assert':
          if (holds(instruction.assertion, state.before, character.side)) reached.add(at + 1);
          break;
        case 'split':
          reached.add(instruction.first);
          reached.add(instruction.second);
          break;
        case 'jump':
          reached.add(instruction.to);
          break;
        default:
          return 'found';
      }
    }
    this.#work -= reached.size;
    return this.#stateOf(next.ascending(), character.side);
  }

  /** @param steps in ascending order */
  #stateOf(steps: readonly number[], before: Side): State {
    const key = before + String.fromCharCode(...steps);
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    // States lead to each other, so forgetting only some would free nothing.
    if (this.#states.size >= STATES_MAX || this.#keptSteps >= this.#keptStepsMax) {
      this.#states.clear();
      this.#keptSteps = 0;
    }
    this.#keptSteps += steps.length;
    const state: State = { steps, before, next: [] };
    this.#states.set(key, state);
    return state;
  }

  #classOf(character: number): CharacterClass {
    if (character < ASCII_END) return (this.#asciiClasses[character] ??= this.#newClassOf(character));
    const known = this.#otherClasses.get(character);
    if (known !== undefined) return known;
    const found = this.#newClassOf(character);
    if (this.#otherClasses.size >= CHARACTERS_MAX) this.#otherClasses.clear();
    this.#otherClasses.set(character, found);
    return found;
  }

  #newClassOf(character: number): CharacterClass {
    const side = sideOf(character);
    const isIn = this.#sets.map((set) => hasCharacter(set, character, this.#ignoresCase));
    const key = side + isIn.map(Number).join('');
    const found = this.#classes.get(key) ?? { index: this.#classes.size + 1, side, isIn };
    this.#classes.set(key, found);
    return found;
  }
}

/** A set of steps that is filled again and again, without new memory. */
class Steps {
  readonly #isHere: Uint8Array;
  readonly #inOrderOfArrival: Uint16Array;
  size = 0;

  constructor(programLength: number) {
    this.#isHere = new Uint8Array(programLength);
    this.#inOrderOfArrival = new Uint16Array(programLength);
  }

  reset(steps: readonly number[]): void {
    this.#isHere.fill(0);
    this.size = 0;
    for (const step of steps) this.add(step);
  }

  add(step: number): void {
    if (this.#isHere[step] === 1) return;
    this.#isHere[step] = 1;
    this.#inOrderOfArrival[this.size++] = step;
  }

  at(index: number): number {
    return this.#inOrderOfArrival[index] ?? 0;
  }

  ascending(): number[] {
    return Array.from(this.#inOrderOfArrival.subarray(0, this.size).toSorted());
  }
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  switch (assertion) {
    case 'lineStart':
      // Behind the last newline of a text no line begins.
      return before === 'edge' || (before === 'newline' && after !== 'edge');
    case 'newLineStart':
      return before === 'edge' || before === 'newline';
    case 'lineEnd':
      return after === 'edge' || after === 'newline';
    case 'textStart':
      return before === 'edge';
    case 'textEnd':
      return after === 'edge';
    case 'wordEdge':
      return (before === 'word') !== (after === 'word');
    default:
      return (before === 'word') === (after === 'word');
  }
}
