/**
 * Compiles a pattern in which `*` matches any text and `?` any single UTF-16 unit.
 *
 * Matching takes time linear in the length of the text. The pieces of the pattern between the stars are searched for in
 * order. The first match of each piece is used, because a later match would only leave less text for the next pieces.
 *
 * @returns a case-sensitive test whether a whole text matches
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const pieces = pattern.split(/\*+/);
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return (text) => text.length === first.length && matchesPieceAt(text, first, 0);

  const finders = others.map((piece) => ({ length: piece.length, find: pieceFinder(piece) }));
  return (text) => {
    const lastStart = text.length - last.length;
    if (lastStart < first.length || !matchesPieceAt(text, first, 0) || !matchesPieceAt(text, last, lastStart))
      return false;
    let position = first.length;
    for (const { length, find } of finders) {
      const start = find(text, position);
      if (start === -1) return false;
      position = start + length;
    }
    return position <= lastStart;
  };
}

function matchesPieceAt(text: string, piece: string, start: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    const patternCharacter = piece[index];
    if (patternCharacter !== '?' && patternCharacter !== text[start + index]) return false;
  }
  return true;
}

/** Returns the first index, from `position` on, at which a piece of a pattern matches a text; -1 if there is none. */
type FindPiece = (text: string, position: number) => number;

function pieceFinder(piece: string): FindPiece {
  return piece.includes('?') ? maskFinder(piece) : (text, position) => text.indexOf(piece, position);
}

const WORD_BITS = 32;

/**
 * Returns a function that searches for a piece of a pattern with `?`, by the Shift-And algorithm (R. Baeza-Yates and G.
 * Gonnet, A new approach to text searching, 1992). Bit `i` of its state is set if the last `i + 1` characters of the
 * text match the first `i + 1` characters of the piece. Each character of the text costs one operation per 32
 * characters of the piece.
 */
function maskFinder(piece: string): FindPiece {
  const words = Math.ceil(piece.length / WORD_BITS);
  const wildcard = new Uint32Array(words);
  const masks = new Map<number, Uint32Array>();
  for (let index = 0; index < piece.length; index++) {
    if (piece[index] === '?') setBit(wildcard, index);
  }
  for (let index = 0; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    const mask = masks.get(code) ?? wildcard.slice();
    setBit(mask, index);
    masks.set(code, mask);
  }
  const lastWord = words - 1;
  const accepting = 1 << ((piece.length - 1) % WORD_BITS);

  return (text, position) => {
    const state = new Uint32Array(words);
    for (let index = position; index < text.length; index++) {
      const mask = masks.get(text.charCodeAt(index)) ?? wildcard;
      let carry = 1;
      for (let word = 0; word < words; word++) {
        const before = state[word] ?? 0;
        state[word] = ((before << 1) | carry) & (mask[word] ?? 0);
        carry = before >>> (WORD_BITS - 1);
      }
      if (((state[lastWord] ?? 0) & accepting) !== 0) return index - piece.length + 1;
    }
    return -1;
  };
}

function setBit(bits: Uint32Array, index: number): void {
  const word = Math.floor(index / WORD_BITS);
  bits[word] = (bits[word] ?? 0) | (1 << (index % WORD_BITS));
}
