import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectorId, silencedId } from '../../../shared/domain/silencing.ts';
import { nameSchema, sourceSchema, subscriptionSchema } from '../../../shared/schemas/name.ts';
import {
  addContextToName,
  nameAtSameBackend,
  addContextToParts,
  addContextToSilenceId,
  splitName,
  removeContext,
  splitSilencedId,
} from '../../../tui/model/backend-names.ts';

const name = fc.stringMatching(/^[\w.-]{1,12}$/);
const subscription = fc.stringMatching(/^[\w.:-]{1,12}$/);
const parts = fc.oneof(
  fc.record({ subscription, check: name }),
  fc.record({ subscription, check: fc.constant(null) }),
  fc.record({ subscription: fc.constant(null), check: name }),
);

test('no name, subscription or context can contain the context prefix', () => {
  for (const schema of [nameSchema, sourceSchema, subscriptionSchema]) {
    expect(schema.safeParse(addContextToName('a', 'b')).success).toBe(false);
  }
});

test('a name with its context is split into both parts again, and a name without a context stays unchanged', () => {
  fc.assert(
    fc.property(name, name, (one, context) => {
      expect(splitName(addContextToName(one, context))).toEqual({ name: one, context });
      expect(splitName(one)).toEqual({ name: one, context: undefined });
    }),
  );
  expect(nameAtSameBackend('web-1@lab', 'disk')).toBe('disk@lab');
  expect(nameAtSameBackend('web-1', 'disk')).toBe('disk');
});

test('a selector and the id of its silence survive the round trip through a context', () => {
  const [selector, id] = ['client~web-* mail~*@*', selectorId('client~web-* mail~*@*')];
  const there = addContextToParts<{ subscription: null; check: null; selector: string }>(
    { subscription: null, check: null, selector },
    'lab',
  );
  expect(there.selector).toBe('client~web-* mail~*@*@lab');
  expect(removeContext(there)).toEqual({ parts: { subscription: null, check: null, selector }, context: 'lab' });
  expect(splitSilencedId(addContextToSilenceId(id, 'lab'))).toEqual({ id, context: 'lab' });
});

test('the context is added to a silence and to its id alike, and removed from both', () => {
  fc.assert(
    fc.property(parts, name, (about, context) => {
      const id = silencedId(about.subscription, about.check);
      const there = addContextToParts<{ subscription: string | null; check: string | null }>(about, context);
      expect(addContextToSilenceId(id, context)).toBe(silencedId(there.subscription, there.check));
      expect(removeContext(there)).toEqual({ parts: about, context });
      expect(splitSilencedId(addContextToSilenceId(id, context))).toEqual({ id, context });
      expect(splitSilencedId(id)).toEqual({ id, context: undefined });
    }),
  );
});
