import { bindings, keyLabel, type KeyContext } from '../keys.ts';

export interface HelpLine {
  readonly kind: 'heading' | 'binding' | 'blank';
  readonly keys: string;
  readonly text: string;
}

const SECTIONS: readonly (readonly [KeyContext, string])[] = [
  ['events', 'Events and other lists'],
  ['silences', 'Silences'],
  ['aggregates', 'Aggregates'],
  ['clients', 'Clients'],
  ['checks', 'Checks'],
  ['overview', 'Overview'],
  ['upgrade', 'Upgrade'],
  ['detail', 'Event detail'],
  ['prompt', 'Filter line'],
  ['form', 'Silence dialog'],
  ['confirm', 'Questions'],
  ['menu', 'Menus'],
];

/** The help of all keys, made from the table of bindings; what two screens share is said once. */
export function helpLines(): readonly HelpLine[] {
  const said = new Set<string>();
  const lines: HelpLine[] = [];
  for (const [context, heading] of SECTIONS) {
    const section = bindings().filter(([action, binding]) => binding.in.includes(context) && !said.has(action));
    if (section.length === 0) continue;
    if (lines.length > 0) lines.push({ kind: 'blank', keys: '', text: '' });
    lines.push({ kind: 'heading', keys: '', text: heading });
    for (const [action, binding] of section) {
      said.add(action);
      lines.push({ kind: 'binding', keys: binding.keys.map(keyLabel).join(' '), text: binding.help });
    }
  }
  return lines;
}
