import { expect, test } from 'vitest';
import { hasOneConsumer } from '../../../shared/domain/subscription.ts';

test.each<{ subscription: string; expected: boolean }>([
  { subscription: 'web', expected: false },
  { subscription: 'client:web-1', expected: false },
  { subscription: 'roundrobin:web', expected: true },
  { subscription: 'direct:web', expected: true },
  { subscription: 'web:roundrobin:a', expected: false },
  { subscription: 'roundrobin', expected: false },
])(
  'a check request to the subscription $subscription runs on a single client: $expected',
  ({ subscription, expected }) => {
    expect(hasOneConsumer(subscription)).toBe(expected);
  },
);
