import type { V2Object } from '../../../shared/client/v2-client.ts';
import { outputSummary } from '../../../shared/domain/event-row.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { carryOut, DELETE_OPTIONS } from '../change.ts';
import type { Call } from '../command.ts';
import { SELECTOR_OPTIONS, selectorsOf } from '../v2-list.ts';
import { flagAt, numberAt, objectAt, textAt, textsAt } from '../v2-object.ts';
import { listPath, NAMESPACE_OPTION, namespaceOf, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { toYaml } from '../output.ts';
import { statusText } from '../severity-text.ts';
import type { CommandOption } from '../flags.ts';

/** Options of `event list` with `--namespace`. */
export const LIST_NAMESPACES_OPTIONS = { ...NAMESPACES_OPTIONS, ...SELECTOR_OPTIONS };

/** Options of what ends an event with `--namespace`. */
export const DELETE_NAMESPACE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...NAMESPACE_OPTION,
  'skip-confirm': DELETE_OPTIONS['skip-confirm'],
};

/** An event of the newer API as a row of the list. */
export interface ListedInNamespace {
  readonly namespace: string;
  readonly row: EventRow;
  readonly event: V2Object;
}

/**
 * The events of the namespaces that are asked for. The newer API lists every check that has reported: passing ones are no
 * events here, so that a list means the same everywhere.
 */
export async function fetchInNamespaces(call: Call): Promise<readonly ListedInNamespace[]> {
  const all = await call.core().list(listPath(namespacesOf(call), 'events'), selectorsOf(call));
  return all
    .map((event) => ({ namespace: textAt(event, 'entity', 'metadata', 'namespace'), row: rowOf(event), event }))
    .filter(({ row, event }) => row.status !== 0 || textAt(event, 'check', 'state') === 'flapping');
}

export async function showInNamespace(call: Call): Promise<void> {
  const event = await wanted(call);
  const text = await toYaml(event);
  await call.output.show(event, () => text);
}

/** As clients of the newer API do it: the event comes back with the status OK. */
export async function resolveInNamespace(call: Call): Promise<void> {
  const [entity = '', check = ''] = call.operands;
  const namespace = namespaceOf(call);
  const event = await wanted(call);
  const resolved = {
    ...event,
    check: { ...objectAt(event, 'check'), status: 0, output: 'Resolved manually by monctl' },
    timestamp: Math.floor(call.nowMs / 1000),
  };
  await carryOut(call, {
    send: (_api, core) => core.put(eventPath(call), resolved),
    effects: () => Promise.resolve([effectText(call, event, 'resolved')]),
    done: () =>
      call.output.show({ namespace, entity, check, resolved: true }, () => safeText(`Resolved ${entity}/${check}`)),
  });
}

/** Unlike the older API this one forgets what the check has reported, too. */
export async function deleteInNamespace(call: Call): Promise<void> {
  const [entity = '', check = ''] = call.operands;
  const namespace = namespaceOf(call);
  await carryOut(call, {
    async send(_api, core) {
      if (!(await core.remove(eventPath(call)))) throw noSuch(call);
    },
    effects: async () => [effectText(call, await wanted(call), 'deleted with its history')],
    question: `delete the event ${entity}/${check}`,
    declined: 'Canceled',
    done: () => call.output.show({ namespace, entity, check, deleted: true }, () => 'Deleted'),
  });
}

function rowOf(event: V2Object): EventRow {
  const executed = numberAt(event, 'check', 'executed') ?? 0;
  return {
    client: textAt(event, 'entity', 'metadata', 'name'),
    check: textAt(event, 'check', 'metadata', 'name'),
    status: numberAt(event, 'check', 'status') ?? 0,
    action: textAt(event, 'check', 'state') === 'flapping' ? 'flapping' : 'create',
    occurrences: numberAt(event, 'check', 'occurrences') ?? 1,
    since: sinceOf(event) ?? executed,
    last: numberAt(event, 'timestamp') ?? executed,
    silenced_by: silencesOf(event),
    output: outputSummary(textAt(event, 'check', 'output')),
  };
}

/** When the status was entered: the first of the equal runs at the end of the history. */
function sinceOf(event: V2Object): number | undefined {
  const history = objectAt(event, 'check')['history'];
  if (!Array.isArray(history)) return undefined;
  const runs = history as readonly V2Object[];
  const status = numberAt(event, 'check', 'status');
  let since: number | undefined;
  for (const run of runs.toReversed()) {
    if (numberAt(run, 'status') !== status) break;
    since = numberAt(run, 'executed') || since;
  }
  return since;
}

function silencesOf(event: V2Object): readonly string[] {
  const named = textsAt(event, 'check', 'silenced');
  // Older peers say that it is silenced and not by what.
  return named.length === 0 && flagAt(event, 'check', 'is_silenced') ? ['*'] : named;
}

async function wanted(call: Call): Promise<V2Object> {
  const event = await call.core().find(eventPath(call));
  if (event === undefined) throw noSuch(call);
  return event;
}

function effectText(call: Call, event: V2Object, what: string): string {
  const [entity = '', check = ''] = call.operands;
  const status = statusText(numberAt(event, 'check', 'status') ?? 0);
  return `the event ${entity}/${check} of the namespace ${namespaceOf(call)}, ${status}, would be ${what}`;
}

function eventPath(call: Call): readonly string[] {
  return [...listPath(namespaceOf(call), 'events'), ...call.operands];
}

function noSuch(call: Call): MonError {
  const [entity = '', check = ''] = call.operands;
  return new MonError('not_found', `there is no event ${entity}/${check} in ${namespaceOf(call)}`);
}
