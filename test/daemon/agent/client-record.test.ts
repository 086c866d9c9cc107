import { describe, expect, test } from 'vitest';
import { clientIdentity, publishedClient } from '../../../daemon/agent/client-record.ts';
import { clientSchema } from '../../../shared/schemas/client.ts';

describe('the client record of an agent', () => {
  test('an agent without settings takes its client name, address and subscription from its machine', () => {
    const identity = clientIdentity({}, {});
    expect(clientSchema.safeParse(identity).success).toBe(true);
    expect(identity.address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(identity.subscriptions).toEqual([`client:${identity.name}`]);
  });

  test('a client record has the attributes of the client section, which command-line flags override', () => {
    const section = { name: 'from-file', address: '10.0.0.1', subscriptions: ['db'], rack: 'r7' };
    expect(clientIdentity({}, section)).toEqual({ ...section, subscriptions: ['db', 'client:from-file'] });
    expect(clientIdentity({ name: 'web1', address: '10.9.9.9', subscriptions: ['web', 'all'] }, section)).toEqual({
      name: 'web1',
      address: '10.9.9.9',
      subscriptions: ['web', 'all', 'client:web1'],
      rack: 'r7',
    });
  });

  test('a client record contains each subscription once, and the subscription client:NAME last', () => {
    const { subscriptions } = clientIdentity({ name: 'web1' }, { subscriptions: ['client:web1', 'a', 'b', 'a'] });
    expect(subscriptions).toEqual(['a', 'b', 'client:web1']);
  });

  test('an invalid client section is rejected with all of its problems', () => {
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

describe('the published client record', () => {
  const section = {
    name: 'web1',
    address: '10.0.0.1',
    registration: { handler: 'cmdb' },
    signature: 'abc',
    db: { user: 'mon', password: 's3cret' },
    badge: 'b4dge',
  };

  test('the published client record contains no secrets', () => {
    expect(publishedClient(clientIdentity({}, section), 1000)).toEqual({
      ...section,
      subscriptions: ['client:web1'],
      db: { user: 'mon', password: 'REDACTED' },
      timestamp: 1000,
      version: '1.0.0',
    });
  });

  test('the redact list of the client replaces the default redact list', () => {
    const identity = clientIdentity({}, { ...section, redact: ['badge', 'signature', 'name'] });
    expect(publishedClient(identity, 1000)).toMatchObject({
      name: 'web1',
      signature: 'abc',
      badge: 'REDACTED',
      db: { password: 's3cret' },
      redact: ['badge', 'signature', 'name'],
    });
  });
});
