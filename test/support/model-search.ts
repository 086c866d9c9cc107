/**
 * A selector in the form of the model (silencing 1). The model evaluates it, and converts it to the text that the
 * backend parses.
 */
export type ModelSearch =
  | { readonly kind: 'word'; readonly text: string }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: '=' | '!=' | '~';
      readonly value: string;
    }
  | { readonly kind: 'not'; readonly of: ModelSearch }
  | { readonly kind: 'all' | 'any'; readonly of: readonly ModelSearch[] };

/** A check of a client, which a selector may match. */
export interface ModelSubject {
  readonly client: { readonly name: string; readonly subscriptions: readonly string[] };
  /** The attributes of the check's last result; at least its name. */
  readonly check: { readonly name: string };
}

export function searchText(search: ModelSearch): string {
  switch (search.kind) {
    case 'word':
      return search.text;
    case 'compare':
      return search.field + search.operator + search.value;
    case 'not':
      return `not (${searchText(search.of)})`;
    case 'all':
      return `(${search.of.map(searchText).join(' ')})`;
    case 'any':
      return `(${search.of.map(searchText).join(' or ')})`;
  }
}

export function finds(search: ModelSearch, subject: ModelSubject): boolean {
  switch (search.kind) {
    case 'word':
      return [subject.client.name, subject.check.name].some((name) => lower(name).includes(lower(search.text)));
    case 'compare': {
      const { operator, value } = search;
      const texts = textsOf(search.field, subject).map(lower);
      const fits = (text: string): boolean => (operator === '~' ? hasPattern(text, value) : text === lower(value));
      return operator === '!=' ? !texts.some(fits) : texts.some(fits);
    }
    case 'not':
      return !finds(search.of, subject);
    case 'all':
      return search.of.every((part) => finds(part, subject));
    case 'any':
      return search.of.some((part) => finds(part, subject));
  }
}

function textsOf(field: string, { client, check }: ModelSubject): string[] {
  if (field === 'client') return [client.name];
  if (field === 'check') return [check.name];
  if (field === 'subscriptions') return [...client.subscriptions];
  if (field === 'namespace') return ['default'];
  const [owner, attribute] = field.includes('.') ? field.split('.') : [undefined, field];
  const records: object[] = owner === undefined ? [client, check] : owner === 'client' ? [client] : [check];
  return records.flatMap((record) => {
    const value: unknown = Object.entries(record).find(([name]) => name === attribute)?.[1];
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  });
}

/**
 * True if a text matches a pattern, ignoring case: completely if the pattern contains `*` or `?`, otherwise anywhere.
 */
function hasPattern(text: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return text.includes(lower(pattern));
  const parts = Array.from(lower(pattern), (sign) =>
    sign === '*' ? '.*' : sign === '?' ? '.' : sign.replace(/[^\w]/, String.raw`\$&`),
  );
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}

function lower(text: string): string {
  return text.toLowerCase();
}
