import { tableColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { countField } from '../../../shared/domain/search-fields.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { CLIENT_SEARCH, hasAgent } from '../../../shared/domain/list-searches.ts';
import type { ClientRow } from '../../../shared/schemas/feed.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { countText } from '../../words/count-text.ts';
import { classTone, SILENCED_SYMBOL, SEVERITY_STYLES, type EventClass } from '../../text/theme.ts';
import type { EventCounts } from '../../model/event-counts.ts';
import { eventClass } from '../../model/event-record.ts';

/** A row of the list of clients: a client with the number of its open events. */
export interface ClientTableRow {
  readonly client: ClientRow;
  /** The number of open events of the client at the time when the row was built. */
  readonly open: number;
  /** The class of the worst open event; `undefined` if no event is open. */
  readonly worst: EventClass | undefined;
  /**
   * The class of the client's keepalive event. It says whether the warning or the critical threshold has passed.
   * `undefined` if there is no such event.
   */
  readonly keepalive: EventClass | undefined;
}

/**
 * Event classes, the worst first. Events that are OK but still open, such as flapping events, come after failing
 * events.
 */
const CLASSES_WORST_FIRST: readonly EventClass[] = ['critical', 'warning', 'unknown', 'ok', 'silenced'];

export const CLIENTS_VIEW = tableView<ClientTableRow>({
  name: 'clients',
  nouns: ['client', 'clients'],
  source: {
    keys: (store) => store.clients.keys(),
    row: (store, key) => {
      const client = store.clients.get(key);
      if (client === undefined) return undefined;
      const keepalive = store.events.get(eventKey(key, KEEPALIVE_CHECK))?.row;
      return clientEntry(client, store.events.countsOf(key), keepalive && eventClass(keepalive));
    },
  },
  columns: [
    textColumn('client', 'CLIENT', [20, 40], ({ client }) => client.name, { cut: 'middle' }),
    textColumn('address', 'ADDRESS', [15, 39], ({ client }) => client.address, { dropRank: 2 }),
    {
      id: 'keepalive',
      title: 'KEEPALIVE',
      least: 10,
      most: 10,
      align: 'right',
      text: ({ client }, nowMs) => (hasAgent(client) ? formatDuration(nowMs / 1000 - client.timestamp, 1) : '-'),
      tone: ({ keepalive }) => (keepalive === undefined ? 'plain' : classTone(keepalive)),
      // The client whose last keepalive is oldest sorts first, because it needs attention first. Clients without an
      // agent come last.
      compare: (a, b) =>
        Number(hasAgent(b.client)) - Number(hasAgent(a.client)) || a.client.timestamp - b.client.timestamp,
    },
    textColumn('version', 'VERSION', [8, 12], ({ client }) => client.version, { dropRank: 3 }),
    tableColumn('events', 'EVENTS', [10, 12], eventsText, {
      tone: ({ worst }) => (worst === undefined ? 'faint' : classTone(worst)),
      compare: (a, b) => worstRank(a) - worstRank(b) || b.open - a.open,
    }),
    tableColumn('subscriptions', 'SUBSCRIPTIONS', [14, Infinity], ({ client }) => subscriptionsText(client), {
      dropRank: 1,
    }),
  ],
  sort: 'client',
  search: languageForItems(CLIENT_SEARCH, ({ client }: ClientTableRow) => client, [
    countField('events', ({ open }) => open),
  ]),
  empty: ({ options }) => ['No clients yet.', '', `Start one: mon-agent start --backend ${options.backend}`],
  menu: ['open', 'silence', 'delete-client'],
});

export function clientEntry(client: ClientRow, counts: EventCounts, keepalive: EventClass | undefined): ClientTableRow {
  const worst = CLASSES_WORST_FIRST.find((kind) => counts[kind] > 0);
  return { client, worst, keepalive, open: CLASSES_WORST_FIRST.reduce((sum, kind) => sum + counts[kind], 0) };
}

/** Returns the worst status and the number of open events, such as `✗ CRIT 3`. */
function eventsText({ worst, open }: ClientTableRow): string {
  if (worst === undefined) return 'none';
  const sign =
    worst === 'silenced'
      ? `${SILENCED_SYMBOL} SIL `
      : `${SEVERITY_STYLES[worst].symbol} ${SEVERITY_STYLES[worst].word.padEnd(4)}`;
  return `${sign} ${countText(open)}`;
}

function worstRank({ worst }: ClientTableRow): number {
  return worst === undefined ? CLASSES_WORST_FIRST.length : CLASSES_WORST_FIRST.indexOf(worst);
}

/** Returns the subscriptions without `client:NAME`, which every client has. */
function subscriptionsText({ name, subscriptions }: ClientRow): string {
  return subscriptions.filter((subscription) => subscription !== `client:${name}`).join(', ');
}
