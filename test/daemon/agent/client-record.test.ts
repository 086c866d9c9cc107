import { describe, expect, test } from 'vitest';
import { clientIdentity } from '../../../daemon/agent/client-record.ts';
import { clientSchema } from '../../../shared/schemas/client.ts';

describe('a client', () => {
  test('is described by the machine when nothing else is said', () => {
    const identity = clientIdentity({}, {});
    expect(clientSchema.safeParse(identity).success).toBe(true);
    expect(identity.address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(identity.subscriptions).toEqual([`client:${identity.name}`]);
  });

  test('is described by its section, and by flags before that', () => {
    const section = { name: 'from-file', address: '10.0.0.1', subscriptions: ['db'], rack: 'r7' };
    expect(clientIdentity({}, section)).toEqual({ ...section, subscriptions: ['db', 'client:from-file'] });
    expect(clientIdentity({ name: 'web1', address: '10.9.9.9', subscriptions: ['web', 'all'] }, section)).toEqual({
      name: 'web1',
      address: '10.9.9.9',
      subscriptions: ['web', 'all', 'client:web1'],
      rack: 'r7',
    });
  });

  test('holds each subscription once, its own one last', () => {
    const { subscriptions } = clientIdentity({ name: 'web1' }, { subscriptions: ['client:web1', 'a', 'b', 'a'] });
    expect(subscriptions).toEqual(['a', 'b', 'client:web1']);
  });

  test('that breaks rules is refused with every reason', () => {
    expect(() => clientIdentity({ name: 'web 1' }, { keepalive: { thresholds: { warning: 0 } } })).toThrow(
      expect.objectContaining({
        code: 'invalid',
        message: expect.stringMatching(
          /^the client is not valid:\n {2}client\.name: must be word characters.*\n {2}client\.keepalive\.thresholds\.warning: /,
        ),
      }),
    );
  });
});
