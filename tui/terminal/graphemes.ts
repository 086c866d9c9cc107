/** A character as a reader sees it, and where it begins. */
export interface Grapheme {
  readonly segment: string;
  readonly index: number;
}

/**
 * Text of which each code unit is a character: Latin letters, punctuation, arrows, lines and blocks; none that joins what is
 * beside it, and no carriage return, which is one with a line feed.
 */
const SIMPLE = /^[\t\n\u001B -~\u00A0-\u02FF\u2010-\u2027\u2030-\u205E\u2100-\u2BFF]*$/;

let cluster: Intl.Segmenter | undefined;

/**
 * As `Intl.Segmenter` by graphemes, which is only made for text that needs it: that loads tables of the languages, a
 * twelfth of the time to the first frame. The build has Ink take this, too.
 */
export class GraphemeSegmenter {
  segment(text: string): Iterable<Grapheme> & Pick<Intl.Segments, 'containing'> {
    if (!SIMPLE.test(text)) return clusterSegmenter().segment(text);
    return {
      [Symbol.iterator]: () => characters(text),
      containing: (index) => clusterSegmenter().segment(text).containing(index),
    };
  }
}

/** Characters of `text`, one after the other. */
export function graphemes(text: string): Iterable<Grapheme> {
  return segmenter.segment(text);
}

const segmenter = new GraphemeSegmenter();

function clusterSegmenter(): Intl.Segmenter {
  return (cluster ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
}

function* characters(text: string): Generator<Grapheme> {
  for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index };
}
