import { shellWord } from '../../shared/domain/command-text.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { openMenu } from '../form/menu.ts';
import type { ViewName } from '../state/view-names.ts';
import { targetOf } from '../model/target.ts';
import type { ConsoleOptions } from '../state/console-options.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { MenuItem } from '../state/layers/menu.ts';

/** The object for which the menu offers texts to copy, such as its name. */
export interface CopySubject {
  readonly kind: 'event' | 'result' | 'client' | 'check' | 'silence' | 'aggregate';
  /** The name or id of the object; `client/check` for an event or a result. */
  readonly name: string;
}

/** The backend and namespace to which the object belongs. */
type CopiedLocation = Pick<ConsoleOptions, 'backend' | 'namespace'>;

const KIND_OF_VIEW: Partial<Readonly<Record<ViewName, CopySubject['kind']>>> = {
  events: 'event',
  silences: 'silence',
  aggregates: 'aggregate',
  clients: 'client',
  checks: 'check',
};

/** The first segment of the API path of each kind of object. The name of the object follows it in the path. */
const PATH_SEGMENTS: Readonly<Record<Exclude<CopySubject['kind'], 'silence'>, string>> = {
  event: 'events',
  result: 'results',
  client: 'clients',
  check: 'checks',
  aggregate: 'aggregates',
};

/** Opens the menu of texts to copy about the shown object, or about the object under the cursor. */
export function openCopyMenu(store: Screen & Pick<ListOfView, 'list'>): void {
  const subject = copiedNow(store);
  if (subject === undefined) return store.say('nothing to copy here');
  openMenu(store, { title: `Copy of ${safeLine(subject.name)}`, items: () => copyItems(store, subject) });
}

function copiedNow({ state, list }: ScreenView & Pick<ListOfView, 'list'>): CopySubject | undefined {
  const layer = state.layers.at(-1);
  if (layer?.kind === 'detail') return { kind: 'event', name: layer.target.key };
  if (layer?.kind === 'inspect') return layer.subject;
  if (layer !== undefined) return undefined;
  const kind = KIND_OF_VIEW[state.view];
  const { key } = list.cursor;
  return kind === undefined || key === undefined ? undefined : { kind, name: key };
}

function copyItems(store: Screen, subject: CopySubject): readonly MenuItem[] {
  const { kind, name } = subject;
  const text = (id: string, label: string, copied: string): MenuItem => {
    // The copied text is one line without control characters. If it is pasted into a shell, nothing runs until the user
    // presses Enter.
    const safe = safeLine(copied);
    return { id, label: `${label}: ${safe}`, choose: () => store.request({ kind: 'copy', label, text: safe }) };
  };
  const isPair = kind === 'event' || kind === 'result';
  const { client, check } = targetOf(name);
  return [
    text('id', kind === 'silence' || isPair ? 'id' : 'name', name),
    ...(isPair ? [text('client', 'client', client), text('check', 'check', check)] : []),
    ...(kind === 'event' ? [eventItem(store, name, 'JSON'), eventItem(store, name, 'Markdown')] : []),
    ...(kind === 'silence'
      ? []
      : [text('curl', 'curl command', curlCommand(PATH_SEGMENTS[kind], subject, store.options))]),
    text('monctl', 'monctl command', monctlCommand(subject, store.options)),
    ...(kind === 'event' && isDefaultNamespace(store.options)
      ? [text('mon', 'mon command', openCommand(name, store.options))]
      : []),
  ];
}

/** Returns the menu item that copies an event as JSON or as Markdown. The event is loaded first. */
function eventItem(store: Screen, name: string, format: 'JSON' | 'Markdown'): MenuItem {
  const target = targetOf(name);
  const { options } = store;
  // Only `monctl` has an option for the namespace.
  const command = isDefaultNamespace(options)
    ? openCommand(name, options)
    : monctlCommand({ kind: 'event', name }, options);
  return {
    id: format.toLowerCase(),
    label: format === 'JSON' ? format : `${format} with the command that opens it`,
    choose: () =>
      store.request(
        format === 'JSON' ? { kind: 'copy-event', target, format } : { kind: 'copy-event', target, format, command },
      ),
  };
}

function isDefaultNamespace({ namespace = DEFAULT_NAMESPACE }: CopiedLocation): boolean {
  return namespace === DEFAULT_NAMESPACE;
}

/** Returns the command that opens the console on an event. */
function openCommand(name: string, { backend }: CopiedLocation): string {
  return ['mon', '--backend', backend, '--open', name].map(shellWord).join(' ');
}

/**
 * Returns a `curl` command that reads the object. It contains no credentials, because the shell history would store
 * them.
 */
function curlCommand(
  path: string,
  subject: CopySubject,
  { backend, namespace = DEFAULT_NAMESPACE }: CopiedLocation,
): string {
  const segments = [path, ...namesOf(subject).map(encodeURIComponent)].join('/');
  const isDefault = namespace === DEFAULT_NAMESPACE;
  return `curl -s ${shellWord(`${backend}/${isDefault ? segments : `api/mon/v1/${segments}?namespace=${namespace}`}`)}`;
}

function monctlCommand(subject: CopySubject, { backend, namespace = DEFAULT_NAMESPACE }: CopiedLocation): string {
  const there = namespace === DEFAULT_NAMESPACE ? [] : ['--namespace', namespace];
  return ['monctl', subject.kind, 'info', ...namesOf(subject), ...there, '--backend', backend].map(shellWord).join(' ');
}

function namesOf({ kind, name }: CopySubject): readonly string[] {
  if (kind !== 'event' && kind !== 'result') return [name];
  const { client, check } = targetOf(name);
  return [client, check];
}
