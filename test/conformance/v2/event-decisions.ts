import type { Decision } from './decision.ts';

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
];
