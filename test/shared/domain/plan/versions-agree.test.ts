import { expect, test } from 'vitest';
import { differingVersions } from '../../../../shared/domain/plan/versions-agree.ts';
import type { Version } from '../../../../shared/domain/plan/version.ts';

/**
 * Tests of the list of members and agents that do not have the target version of the upgrade (reference 9.2, step 8).
 */

const BACKEND = { own: '1.0.0', level: '6.5.0' };

test.each<{ name: string; to: Version; agents: readonly (string | null)[]; expected: readonly string[] }>([
  { name: 'agents of mon with the version of the backend agree', to: [6, 5, 0], agents: ['1.0.0'], expected: [] },
  {
    name: 'agents of mon with an older or newer version are named',
    to: [6, 5, 0],
    agents: ['0.9.0', '1.0.1'],
    expected: ['default/web-0 (0.9.0)', 'default/web-1 (1.0.1)'],
  },
  {
    name: 'Sensu Go agents older than the target are named',
    to: [6, 5, 0],
    agents: ['6.4.3', '6.5.0', 'v6.7.1+ce'],
    expected: ['default/web-0 (6.4.3)'],
  },
  {
    name: 'agents without a version are named',
    to: [6, 5, 0],
    agents: [null, 'unknown'],
    expected: ['default/web-0 (unknown)', 'default/web-1 (unknown)'],
  },
  {
    name: 'a backend with an older Sensu API level is named',
    to: [6, 6, 0],
    agents: [],
    expected: ['the backend (6.5.0)'],
  },
  {
    name: 'a backend with an older mon version is named if the target is a mon version',
    to: [1, 1, 0],
    agents: [],
    expected: ['the backend (1.0.0)'],
  },
  { name: 'a backend at the target version agrees', to: [1, 0, 0], agents: ['1.0.0'], expected: [] },
])('the comparison with the target version of an upgrade: $name', ({ to, agents, expected }) => {
  const named = agents.map((version, at) => ({ namespace: 'default', name: `web-${String(at)}`, version }));
  expect(differingVersions(to, { backend: BACKEND, agents: named })).toEqual(expected);
});
