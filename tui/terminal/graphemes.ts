/** A grapheme, which is a character as a reader sees it, with its start index in the text. */
export interface Grapheme {
  readonly segment: string;
  readonly index: number;
}

/**
 * Matches text in which each code unit is one grapheme: Latin letters, punctuation, arrows, lines and blocks. It
 * excludes characters that combine with others, and the carriage return, which forms one grapheme with a line feed.
 */
const SIMPLE_TEXT = /^[\t\n\u001B -~\u00A0-\u02FF\u2010-\u2027\u2030-\u205E\u2100-\u2BFF]*$/;

let cachedSegmenter: Intl.Segmenter | undefined;

/**
 * Splits text into graphemes. `Intl.Segmenter` is only created for text that needs it, because its language tables take
 * a twelfth of the time to the first frame. The build makes Ink use this class too.
 */
export class GraphemeSegmenter {
  segment(text: string): Iterable<Grapheme> & Pick<Intl.Segments, 'containing'> {
    if (!SIMPLE_TEXT.test(text)) return clusterSegmenter().segment(text);
    return {
      [Symbol.iterator]: () => splitCharacters(text),
      containing: (index) => clusterSegmenter().segment(text).containing(index),
    };
  }
}

/** Returns the graphemes of `text` in order. */
export function splitGraphemes(text: string): Iterable<Grapheme> {
  return segmenter.segment(text);
}

const segmenter = new GraphemeSegmenter();

function clusterSegmenter(): Intl.Segmenter {
  return (cachedSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
}

function* splitCharacters(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index };
}
