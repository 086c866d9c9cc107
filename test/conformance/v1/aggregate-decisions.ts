import type { Line, RecordedResponse } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import { onRequest, pageOf, withStatus, type RecordedExchange, type LineDecision } from './decision.ts';
import { membersOf, statusOf, type Member } from './recorded-past.ts';

const SEVERITIES = ['ok', 'warning', 'critical'] as const;

/** Decisions about aggregates. */
export const AGGREGATE_DECISIONS: readonly LineDecision[] = [
  onRequest(
    ({ method, segments: [collection, name = ''], answer, earlier }) =>
      method === 'GET' &&
      collection === 'aggregates' &&
      /[:|]/.test(name) &&
      answer.status === 404 &&
      presentMembers(name, earlier).length > 0,
    'completion 1.7 DEFECT, aggregate names with `:` or `|` can be fetched',
    (asked) => computedResponse(asked),
  ),
  onRequest(
    ({ segments: [collection, name = '', part, severity], query, answer, earlier }) =>
      collection === 'aggregates' &&
      part === 'results' &&
      severity === 'unknown' &&
      query.size === 0 &&
      answer.status === 200 &&
      presentMembers(name, earlier).some((member) => statusOf(member) > SEVERITIES.length),
    'completion 1.7 DEFECT, a status above 3 is under /results/unknown, as it is in the summary',
    ({ segments, answer, earlier }) => ({
      ...answer,
      body: unknownResults(presentMembers(segments[1] ?? '', earlier)),
    }),
  ),
  onRequest(
    ({ method, segments: [collection, name, part], query, answer, earlier }) =>
      method === 'GET' &&
      collection === 'aggregates' &&
      name !== undefined &&
      part !== 'results' &&
      query.size === 0 &&
      answer.status === 200 &&
      membersOf(name, earlier).some(({ isDeleted }) => isDeleted),
    'completion 1.7 DEFECT, lazy member pruning: a member goes with its result',
    (asked) => computedResponse(asked),
  ),
  onRequest(
    ({ path, answer, earlier }) =>
      path === '/aggregates' &&
      pageOf(answer) === undefined &&
      itemsOf(answer.body).some((item) => isEmpty(item, earlier)),
    'completion 1.7 DEFECT, lazy member pruning: an aggregate goes with its last member',
    ({ answer, earlier }) => ({ ...answer, body: itemsOf(answer.body).filter((item) => !isEmpty(item, earlier)) }),
  ),
];

function presentMembers(name: string, earlier: readonly Line[]): readonly Member[] {
  return membersOf(name, earlier).filter(({ isDeleted }) => !isDeleted);
}

/** True if the aggregate has had members, and all of them are deleted. */
function isEmpty(item: unknown, earlier: readonly Line[]): boolean {
  const members = membersOf(String(at(item, 'name')), earlier);
  return members.length > 0 && members.every(({ isDeleted }) => isDeleted);
}

function computedResponse(asked: RecordedExchange): RecordedResponse {
  const [, name = '', part] = asked.segments;
  const members = presentMembers(name, asked.earlier);
  if (members.length === 0) return withStatus(asked, 404, part === undefined ? undefined : []);
  if (part === 'clients') return withStatus(asked, 200, groupedBy(members, 'client'));
  if (part === 'checks') return withStatus(asked, 200, groupedBy(members, 'check'));
  return part === undefined ? withStatus(asked, 200, summaryOf(members)) : asked.answer;
}

function summaryOf(members: readonly Member[]): unknown {
  const count = (isCounted: (status: number) => boolean): number =>
    members.filter((member) => isCounted(statusOf(member))).length;
  const known = SEVERITIES.map((severity, number) => [severity, count((status) => status === number)] as const);
  return {
    clients: new Set(members.map(({ client }) => client)).size,
    checks: new Set(members.map(({ check }) => check['name'])).size,
    results: {
      ...Object.fromEntries(known),
      unknown: count((status) => status >= SEVERITIES.length),
      total: members.length,
      stale: 0,
    },
  };
}

function groupedBy(members: readonly Member[], part: 'client' | 'check'): readonly unknown[] {
  const nameOf = (member: Member): unknown => (part === 'client' ? member.client : member.check['name']);
  const otherOf = (member: Member): unknown => (part === 'client' ? member.check['name'] : member.client);
  return [...Map.groupBy(members, nameOf)].map(([name, group]) => ({
    name,
    [part === 'client' ? 'checks' : 'clients']: group.map(otherOf),
  }));
}

function unknownResults(members: readonly Member[]): readonly unknown[] {
  const unknown = members.filter((member) => statusOf(member) >= SEVERITIES.length);
  return [...Map.groupBy(unknown, ({ check }) => check['name'])].map(([check, group]) => ({
    check,
    summary: [...Map.groupBy(group, (member) => member.check['output'])].map(([output, same]) => ({
      output,
      total: same.length,
      clients: same.map(({ client }) => client),
    })),
  }));
}
