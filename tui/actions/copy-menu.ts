import { shellWord } from '../../shared/domain/command-text.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { openMenu } from '../form/menu.ts';
import type { ViewName } from '../state/view-names.ts';
import { targetOf } from '../model/target.ts';
import type { ConsoleOptions } from '../state/console-options.ts';
import type { Asks, Opened, Screen, Says, Shown } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { MenuItem } from '../state/layers/menu.ts';

/** What can be copied about. */
export interface Copied {
  readonly kind: 'event' | 'result' | 'client' | 'check' | 'silence' | 'aggregate';
  /** `client/check` of an event or a result; otherwise its name or id. */
  readonly name: string;
}

/** Where it is. */
type CopiedPlace = Pick<ConsoleOptions, 'backend' | 'namespace'>;

const KIND_OF_VIEW: Partial<Readonly<Record<ViewName, Copied['kind']>>> = {
  events: 'event',
  silences: 'silence',
  aggregates: 'aggregate',
  clients: 'client',
  checks: 'check',
};

/** Where the API has it, with the name as segments behind. */
const PATHS: Readonly<Record<Exclude<Copied['kind'], 'silence'>, string>> = {
  event: 'events',
  result: 'results',
  client: 'clients',
  check: 'checks',
  aggregate: 'aggregates',
};

/** Opens the menu of what can be copied of the thing that is shown, or that is under the cursor. */
export function openCopyMenu(store: Screen & Says & Asks & Opened & Pick<ListOfView, 'list'>): void {
  const about = copiedNow(store);
  if (about === undefined) return store.say('nothing to copy here');
  openMenu(store, { title: `Copy of ${safeLine(about.name)}`, items: () => copyItems(store, about) });
}

function copiedNow({ state, list }: Shown & Pick<ListOfView, 'list'>): Copied | undefined {
  const layer = state.layers.at(-1);
  if (layer?.kind === 'detail') return { kind: 'event', name: layer.target.key };
  if (layer?.kind === 'inspect') return layer.subject;
  if (layer !== undefined) return undefined;
  const kind = KIND_OF_VIEW[state.view];
  const { key } = list.cursor;
  return kind === undefined || key === undefined ? undefined : { kind, name: key };
}

function copyItems(store: Asks & Opened, about: Copied): readonly MenuItem[] {
  const { kind, name } = about;
  const text = (id: string, label: string, copied: string): MenuItem => {
    // One line without control characters: pasted into a shell it waits for Enter.
    const safe = safeLine(copied);
    return { id, label: `${label}: ${safe}`, choose: () => store.request({ kind: 'copy', label, text: safe }) };
  };
  const isPair = kind === 'event' || kind === 'result';
  const { client, check } = targetOf(name);
  return [
    text('id', kind === 'silence' || isPair ? 'id' : 'name', name),
    ...(isPair ? [text('client', 'client', client), text('check', 'check', check)] : []),
    ...(kind === 'event'
      ? [{ id: 'json', label: 'JSON', choose: () => store.request({ kind: 'copy-event', target: targetOf(name) }) }]
      : []),
    ...(kind === 'silence' ? [] : [text('curl', 'curl command', curlCommand(PATHS[kind], about, store.options))]),
    text('monctl', 'monctl command', monctlCommand(about, store.options)),
  ];
}

/** Without credentials: they would end up in the history of the shell. */
function curlCommand(path: string, about: Copied, { backend, namespace = DEFAULT_NAMESPACE }: CopiedPlace): string {
  const segments = [path, ...namesOf(about).map(encodeURIComponent)].join('/');
  const isDefault = namespace === DEFAULT_NAMESPACE;
  return `curl -s ${shellWord(`${backend}/${isDefault ? segments : `api/mon/v1/${segments}?namespace=${namespace}`}`)}`;
}

function monctlCommand(about: Copied, { backend, namespace = DEFAULT_NAMESPACE }: CopiedPlace): string {
  const noun = about.kind === 'silence' ? 'silenced' : about.kind;
  const there = namespace === DEFAULT_NAMESPACE ? [] : ['--namespace', namespace];
  return ['monctl', noun, 'info', ...namesOf(about), ...there, '--backend', backend].map(shellWord).join(' ');
}

function namesOf({ kind, name }: Copied): readonly string[] {
  if (kind !== 'event' && kind !== 'result') return [name];
  const { client, check } = targetOf(name);
  return [client, check];
}
