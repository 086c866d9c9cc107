/** Maximum length of one warning text, and of the whole header, in characters. */
const TEXT_LENGTH_MAX = 500;
const HEADER_LENGTH_MAX = 4000;

const WARNING_FORMAT = /299 - ("(?:[^"\\]|\\.)*")/g;

/**
 * Returns the HTTP header `Warning` with these texts. If not all texts fit, the header ends with the number of the
 * others.
 */
export function warningHeader(texts: readonly string[]): string {
  const warnings: string[] = [];
  let length = 0;
  for (const [at, text] of texts.entries()) {
    const warning = warningOf(text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text);
    length += warning.length + 2;
    if (length > HEADER_LENGTH_MAX) {
      const others = texts.length - at;
      return [...warnings, warningOf(`and ${String(others)} more: see the log of the backend`)].join(', ');
    }
    warnings.push(warning);
  }
  return warnings.join(', ');
}

/** Returns the texts in a `Warning` header from mon; entries of other programs, such as proxies, are ignored. */
export function warningTexts(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(WARNING_FORMAT)].flatMap(([, quoted = '']) => textOf(quoted) ?? []);
}

/** Formats one warning. Non-ASCII characters are escaped, because headers cannot contain them. */
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
