import { expect, test } from 'vitest';
import { MatcherIndex } from '../../../../../daemon/backend/model/silences/matcher-index.ts';
import { DEFAULT_NAMING, type LabelSubject } from '../../../../../shared/domain/alert-labels.ts';
import { parseMatcherSelector } from '../../../../../shared/domain/matcher-selector.ts';
import { silencedEntry } from '../../../../../shared/domain/silencing.ts';

interface Rig {
  readonly index: MatcherIndex;
  /** Number of evaluations of matchers so far. */
  evaluations: number;
  readonly put: (id: string, text: string) => void;
}

function openRig(): Rig {
  const rig: Rig = {
    index: new MatcherIndex(),
    evaluations: 0,
    put(id, text) {
      const selector = parseMatcherSelector(text);
      if (selector.kind === 'problem') throw new Error(selector.message);
      const covers: typeof selector.covers = (labels) => {
        rig.evaluations++;
        return selector.covers(labels);
      };
      rig.index.put({ ...silencedEntry({ selector: text }, 0), id }, { ...selector, covers });
    },
  };
  return rig;
}

function aCheck(client: string, check: string) {
  const subject: LabelSubject = { client, check, subscriptions: [], status: 1, attribute: () => [] };
  return {
    covering: undefined,
    selectorAttributes: undefined,
    alertStatus: 1,
    client: { profile: undefined, namespace: { naming: DEFAULT_NAMING } },
    subject: () => subject,
  };
}

const idsOf = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test('a lookup among 10,000 silences of alerts evaluates only the few that name the client of the check', () => {
  const rig = openRig();
  for (let at = 0; at < 10_000; at++) rig.put(`id-${String(at)}`, `{alertname="disk",instance="web-${String(at)}"}`);
  const check = aCheck('web-7777', 'disk');
  expect(idsOf(rig.index.covering(check))).toEqual(['id-7777']);
  // The first few matcher sets are indexed by `alertname`, until the index knows that many share its value.
  expect(rig.evaluations).toBeLessThan(10);
  rig.evaluations = 0;
  expect(idsOf(rig.index.covering(check))).toEqual(['id-7777']);
  expect(rig.evaluations).toBe(0);
});

test('a repeated lookup for a check evaluates only the matchers of silences that were added since', () => {
  const rig = openRig();
  for (let at = 0; at < 100; at++) rig.put(`id-${String(at)}`, `{alertname=~"d.*",instance!="web-${String(at)}"}`);
  const check = aCheck('web-7', 'disk');
  expect(rig.index.covering(check)).toHaveLength(99);
  rig.evaluations = 0;
  rig.put('new', '{instance=~"web-[0-9]"}');
  expect(idsOf(rig.index.covering(check))).toContain('new');
  expect(rig.evaluations).toBe(1);
});

test('a silence that was removed or changed no longer covers events by its old matchers', () => {
  const rig = openRig();
  const check = aCheck('web-7', 'disk');
  rig.put('a', '{instance="web-7"}');
  rig.put('b', '{instance="web-7"}');
  rig.put('c', '{instance=~"web-7"}');
  expect(idsOf(rig.index.covering(check))).toEqual(['a', 'b', 'c']);
  rig.index.remove('a');
  rig.put('b', '{instance="web-8"}');
  expect(idsOf(rig.index.covering(check))).toEqual(['c']);
  rig.index.remove('c');
  expect(rig.index.covering(check)).toEqual([]);
  rig.index.remove('b');
  expect(rig.index.isEmpty).toBe(true);
});
