/** Most characters of one text, and of all texts of a header, which has little room. */
const TEXT_LENGTH_MAX = 500;
const HEADER_LENGTH_MAX = 4000;

const WARNING = /299 - ("(?:[^"\\]|\\.)*")/g;

/** The header `Warning` of an answer: texts for whoever has asked, those that have a place there. */
export function warningHeader(texts: readonly string[]): string {
  const warnings: string[] = [];
  let length = 0;
  for (const [at, text] of texts.entries()) {
    const warning = warningOf(text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text);
    length += warning.length + 2;
    if (length > HEADER_LENGTH_MAX) {
      const others = texts.length - at;
      return [...warnings, warningOf(`and ${String(others)} more, which the log of the backend has`)].join(', ');
    }
    warnings.push(warning);
  }
  return warnings.join(', ');
}

/** The texts of such a header; what others write there is left out. */
export function warningTexts(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(WARNING)].flatMap(([, quoted = '']) => textOf(quoted) ?? []);
}

/** A header is of ASCII. */
function warningOf(text: string): string {
  const quoted = JSON.stringify(text).replace(/[^ -~]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `299 - ${quoted}`;
}

function textOf(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
