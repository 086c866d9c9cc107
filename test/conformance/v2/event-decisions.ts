import type { Decision } from './decision.ts';

const FORGETS_FLAPPING =
  'it forgets that a check flaps: that would end at its low threshold, which means nothing there (completion 1.5)';

/** Of events, what handlers get of them, and filters. */
export const EVENT_DECISIONS: readonly Decision[] = [
  {
    case: /^filter-verdicts/,
    what: 'event.check.last_ok > 0',
    because: 'it loses when a check was last well where events come without the time of their run',
    right: true,
  },
  {
    case: /^filter-verdicts/,
    what: "event.entity.metadata.name.indexOf('web') == 0",
    because:
      'it loses the metadata of entities in filters, so that such a filter keeps nothing out: here it means what it says',
    right: false,
  },
  {
    case: /^events-(?:post|put)-agent-\w+\/(?:lists|delete)$/,
    what: /entities\/e1$/,
    because: 'it loses the entities of agents that only events tell of',
    right: { status: 200, body: { metadata: { name: 'e1' } } },
  },
  {
    case: /^events-(?:post|put)-agent-\w+\/lists$/,
    what: /entities$/,
    because: 'it loses the entities of agents that only events tell of',
    right: { status: 200 },
  },
  {
    case: /^handlers-stdin-\w\/metrics$/,
    what: /^handler:/,
    because: 'it loses the time of an event that brings metrics',
    right: [{ metrics: { handlers: ['metrics'] } }],
  },
  {
    case: 'events-various-a/metrics-only',
    lines: [1],
    because: 'it crashes on an event without a check',
    right: { status: 400 },
  },
  ...[25, 26, 22, 18].map((change, at) => ({
    case: 'events-flapping/sequence',
    lines: [72 + 2 * at],
    because: FORGETS_FLAPPING,
    right: { status: 200, body: { check: { state: 'flapping', total_state_change: change } } },
  })),
  {
    case: 'events-flapping/lists',
    lines: [1, 2],
    because: FORGETS_FLAPPING,
    right: { status: 200, body: [{ check: { state: 'flapping', total_state_change: 18 } }] },
  },
  {
    case: 'events-silenced-a/expire-on-resolve',
    lines: [11],
    because:
      'the entry has ended with the problem: what is silenced is told when it is asked for (completion, Decisions)',
    right: { status: 200, body: { check: { is_silenced: false, state: 'passing', total_state_change: 50 } } },
  },
  ...[9, 10, 13].map((line, at) => ({
    case: 'events-ttl/ttl-expiry',
    lines: [line],
    because: 'it does not count the first problem of a check, so that each is told of once too late (completion 1.4)',
    right: { event: { check: { status: 1, occurrences: at + 2, occurrences_watermark: at + 2, interval: 2 } } },
  })),
  {
    case: 'events-ttl/ttl-expiry',
    lines: [14],
    because:
      'as above of t3; and t2, whose entity it has lost because only events tell of that agent, never becomes stale (reference 6.3)',
    right: {
      status: 200,
      body: [
        { check: { status: 1, occurrences: 4, interval: 2 }, entity: { metadata: { name: 't1' } } },
        { check: { status: 1, occurrences: 4, interval: 2 }, entity: { metadata: { name: 't2' } } },
        { check: { status: 1, occurrences: 5, interval: 2 }, entity: { metadata: { name: 't3' } } },
      ],
    },
  },
  {
    case: 'events-various-a/client-set-state',
    lines: [2],
    because:
      'it lets who reports a first event make up what came before, and silence it without an entry (reference 6.2)',
    right: {
      status: 200,
      body: [{ check: { history: null, total_state_change: 0, occurrences_watermark: 1, is_silenced: false } }],
    },
  },
  {
    case: 'events-various-a/unknown-fields',
    lines: [2],
    because: 'it loses custom attributes, which are copied into event data (reference 2.2)',
    right: { status: 200, body: [{ check: { bogus: 1 }, entity: { alsobogus: true } }] },
  },
  {
    case: 'events-various-a/methods',
    what: /^OPTIONS /,
    because: 'browsers ask so before they send anything, and lose the request otherwise (reference 4)',
    right: { status: 200 },
  },
  {
    case: 'events-various-a/methods',
    what: /^HEAD /,
    because: 'HEAD is GET without the body (RFC 9110, section 9.3.2)',
    right: { status: 200 },
  },
  {
    case: 'events-various-a/delete-entity-with-events',
    lines: [4],
    because: 'an event that had a ttl comes back after its deletion, with a ttl of -1',
    right: { status: 200, body: [] },
  },
];
