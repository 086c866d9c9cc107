import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../shared/schemas/audit.ts';
import { SilenceHistory } from '../../../tui/model/silence-history.ts';

const AT = Date.UTC(2026, 10, 20, 12);

/** Returns an audit record about the end of a silence on all clients. */
function ended(namespace: string | undefined, check: string): AuditRecord {
  const id = `*:${check}`;
  return {
    id: 1,
    at: AT,
    who: 'ada',
    from: null,
    how: 'test',
    action: 'silence.clear',
    target: namespace === undefined ? id : `${namespace}/${id}`,
    before: { id, check, subscription: null },
    after: null,
    reason: null,
    previous: '',
    hash: '',
  };
}

test.each([
  { namespace: undefined, ids: ['*:disk'] },
  { namespace: 'team-a', ids: ['*:load', '*:http'] },
  { namespace: 'team', ids: [] },
])(
  'the history of silences of the namespace $namespace contains only audit records of that namespace',
  ({ namespace, ids }) => {
    const history = new SilenceHistory();
    history.load([ended('team-a', 'http'), ended(undefined, 'disk'), ended('team-a', 'load')], namespace);
    expect([...history.ids()]).toEqual(ids);
  },
);
