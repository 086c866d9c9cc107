import { expect, test } from 'vitest';
import { changedFields } from '../../../../shared/domain/v2/changed-fields.ts';

const CHECK = {
  metadata: { name: 'disk', namespace: 'default', created_by: 'ada', labels: { team: 'ops' } },
  command: 'df',
  interval: 60,
  handlers: ['mail'],
  timeout: 0,
  publish: false,
  subdue: null,
  check_hooks: [{ critical: ['ps'] }],
  proxy_requests: { entity_attributes: ["entity.name == 'a'"], splay: false },
};

test.each<{ readonly name: string; readonly change: object; readonly fields: readonly string[] }>([
  { name: 'an object that is sent unchanged', change: {}, fields: [] },
  {
    name: 'an object without the fields that have their zero value',
    change: { timeout: undefined, publish: undefined, subdue: undefined },
    fields: [],
  },
  { name: 'zero values of every kind', change: { stdin: false, ttl: 0, cron: '', env_vars: [], mon: {} }, fields: [] },
  { name: 'a changed value', change: { interval: 90 }, fields: ['interval'] },
  { name: 'an added field', change: { ttl: 90 }, fields: ['ttl'] },
  { name: 'a removed field', change: { handlers: undefined }, fields: ['handlers'] },
  { name: 'a list in another order', change: { handlers: ['pager', 'mail'] }, fields: ['handlers'] },
  { name: 'an object in a list', change: { check_hooks: [{ critical: ['df'] }] }, fields: ['check_hooks'] },
  {
    name: 'a nested field',
    change: { proxy_requests: { ...CHECK.proxy_requests, splay: true } },
    fields: ['proxy_requests.splay'],
  },
  {
    name: 'a label',
    change: { metadata: { name: 'disk', namespace: 'default', labels: { team: 'dev', tier: '1' } } },
    fields: ['metadata.labels.team', 'metadata.labels.tier'],
  },
  { name: 'a text in place of a list', change: { command: ['df', '-h'] }, fields: ['command'] },
  { name: 'a text in place of an object', change: { proxy_requests: 'x' }, fields: ['proxy_requests'] },
])('the fields that a PUT changes are listed for $name', ({ change, fields }) => {
  expect(changedFields(CHECK, { ...CHECK, ...change })).toEqual(fields);
});
