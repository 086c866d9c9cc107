import { expect, test } from 'vitest';
import { parseStreamAddress, type StreamAddress } from '../../../shared/schemas/stream-address.ts';

test.each<{ text: string; expected: StreamAddress | undefined }>([
  { text: '/run/alerts.sock', expected: { path: '/run/alerts.sock' } },
  { text: '/run/odd:80', expected: { path: '/run/odd:80' } },
  { text: 'localhost:3000', expected: { host: 'localhost', port: 3000 } },
  { text: '10.0.0.1:1', expected: { host: '10.0.0.1', port: 1 } },
  { text: '[::1]:65535', expected: { host: '::1', port: 65_535 } },
  { text: '::1:3000', expected: undefined },
  { text: 'localhost', expected: undefined },
  { text: 'localhost:', expected: undefined },
  { text: 'localhost:0', expected: undefined },
  { text: 'localhost:65536', expected: undefined },
  { text: 'localhost:+80', expected: undefined },
  { text: ':80', expected: undefined },
  { text: '[]:80', expected: undefined },
  { text: '', expected: undefined },
])('the stream address `$text` is parsed as $expected', ({ text, expected }) => {
  expect(parseStreamAddress(text)).toEqual(expected);
});
