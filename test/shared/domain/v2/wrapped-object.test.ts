import { expect, test } from 'vitest';
import {
  kindNamed,
  kindOf,
  namespaceOf,
  pathOf,
  readWrapped,
  unwrapObject,
  wrapObject,
  wrappedName,
  type WrappedObject,
} from '../../../../shared/domain/v2/wrapped-object.ts';

function anObject(type: string, parts: Partial<WrappedObject> = {}): WrappedObject {
  return { type, api_version: 'core/v2', metadata: {}, spec: {}, ...parts };
}

/** Returns the path of a wrapped object below `/api/core/v2`. */
function placeOf(object: WrappedObject): string {
  const kind = kindOf(object);
  return kind === undefined ? '' : pathOf(kind, namespaceOf(object), wrappedName(object)).join('/');
}

test.each<[string, WrappedObject, string]>([
  ['a namespace', anObject('Namespace', { spec: { name: 'dev' } }), 'namespaces/dev'],
  ['a user', anObject('User', { metadata: { name: 'x' }, spec: { username: 'alice' } }), 'users/alice'],
  ['an API key', anObject('APIKey', { metadata: { name: 'k1' } }), 'apikeys/k1'],
  [
    'a check with a namespace',
    anObject('CheckConfig', { metadata: { name: 'disk', namespace: 'dev' } }),
    'namespaces/dev/checks/disk',
  ],
  [
    'a check without a namespace',
    anObject('CheckConfig', { metadata: { name: 'disk' } }),
    'namespaces/default/checks/disk',
  ],
  [
    'an event',
    anObject('Event', {
      spec: { entity: { metadata: { name: 'web-1', namespace: 'dev' } }, check: { metadata: { name: 'disk' } } },
    }),
    'namespaces/dev/events/web-1/disk',
  ],
  [
    'a silence without a name',
    anObject('Silenced', { spec: { subscription: 'entity:web-1', check: '' } }),
    'namespaces/default/silenced/entity:web-1:*',
  ],
  ['a type of another API group', anObject('CheckConfig', { api_version: 'other/v1' }), ''],
  ['an unsupported type', anObject('Extension'), ''],
  ['a pipeline', anObject('Pipeline', { metadata: { name: 'page' } }), 'namespaces/default/pipelines/page'],
])('the API path of a wrapped object is right for %s', (_what, object, place) => {
  expect(placeOf(object)).toBe(place);
});

test.each(['core/v2.CheckConfig', 'CheckConfig', 'checkconfig', 'checks', 'check', 'Checks'])(
  'the object type CheckConfig is accepted under the name %s',
  (name) => {
    expect(kindNamed(name)?.type).toBe('CheckConfig');
  },
);

test('the types Entity and Event have the right plural names, and an unknown type has none', () => {
  expect(['entity', 'entities', 'event', 'apikey', 'silenced'].map((name) => kindNamed(name)?.type)).toEqual([
    'Entity',
    'Entity',
    'Event',
    'APIKey',
    'Silenced',
  ]);
  expect(['', 'extension', 'core/v3.CheckConfig', 'constructor'].map((name) => kindNamed(name))).toEqual(
    Array.from({ length: 4 }),
  );
});

test('an object that is wrapped and unwrapped stays the same', () => {
  const check = { metadata: { name: 'disk', namespace: 'dev' }, command: 'df', interval: 60 };
  const kind = kindNamed('checks');
  const wrapped = kind && wrapObject(kind, check);
  expect(wrapped).toEqual({
    type: 'CheckConfig',
    api_version: 'core/v2',
    metadata: check.metadata,
    spec: { command: 'df', interval: 60 },
  });
  expect(wrapped && unwrapObject(wrapped)).toEqual(check);
});

test.each<[unknown, string]>([
  [null, 'is not an object with type, api_version, metadata and spec'],
  [[], 'is not an object with type, api_version, metadata and spec'],
  [{ spec: {} }, 'has no type, such as CheckConfig'],
  [{ type: 'A' }, 'has no spec'],
  [{ type: 'A', spec: [] }, 'has no spec'],
  [{ type: 'A', spec: {}, metadata: 7 }, 'has metadata that is not an object'],
  [{ type: 'A', spec: {}, api_version: 2 }, 'has an api_version that is not a string'],
])('the value %j is rejected as a wrapped object', (value, problem) => {
  expect(readWrapped(value)).toEqual({ problem });
});
