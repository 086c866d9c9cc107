import { expect, test } from 'vitest';
import {
  ATTEMPTS_MAX,
  LOGIN_DELAY_MS,
  FailedLogins,
  FAILURES_BEFORE_DELAY,
} from '../../../../daemon/backend/access/failed-logins.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** Makes failed login attempts from an address, one after the other. */
async function fail(logins: FailedLogins, address: string, times = FAILURES_BEFORE_DELAY): Promise<void> {
  for (let count = 0; count < times; count++) {
    using login = await logins.begin(address);
    login.fail();
  }
}

/** Returns whether the next login attempt from an address continues without a delay. */
async function isFree(logins: FailedLogins, address: string): Promise<boolean> {
  const attempt = logins.begin(address).then((begun) => {
    begun[Symbol.dispose]();
    return true;
  });
  // An attempt without a delay resolves before the next turn of the event loop.
  const waiting = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([attempt, waiting]);
}

test('after ten failed logins in a minute an address has to wait before each attempt, other addresses do not', async () => {
  const clock = new ManualClock();
  const logins = new FailedLogins(clock);
  await fail(logins, '10.0.0.1', FAILURES_BEFORE_DELAY - 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
  await fail(logins, '10.0.0.1', 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(false);
  expect(await isFree(logins, '10.0.0.2')).toBe(true);
  clock.advance(60_000);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
});

test('a delayed login attempt is checked once the delay is over', async () => {
  const clock = new ManualClock();
  const logins = new FailedLogins(clock);
  await fail(logins, '10.0.0.1');
  let hasEnded = false;
  const attempt = fail(logins, '10.0.0.1', 1).then(() => (hasEnded = true));
  clock.advance(LOGIN_DELAY_MS - 1);
  expect(hasEnded).toBe(false);
  clock.advance(1);
  await attempt;
  expect(hasEnded).toBe(true);
});

test.each([
  { name: 'one address in two notations', other: '::ffff:10.0.0.1', of: '10.0.0.1', isSame: true },
  { name: 'two addresses of one IPv6 network', other: '2001:db8:0:7:ffff::1', of: '2001:db8::7:0:0:0:1', isSame: true },
  { name: 'an IPv6 address in short notation', other: '2001:db8::1', of: '2001:db8:0:0:5::', isSame: true },
  { name: 'addresses of two IPv6 networks', other: '2001:db8:0:8::1', of: '2001:db8:0:7::1', isSame: false },
])('failed logins are counted by network: $name', async ({ other, of, isSame }) => {
  const logins = new FailedLogins(new ManualClock());
  await fail(logins, of);
  expect(await isFree(logins, other)).toBe(!isSame);
});

test('only a few concurrent login attempts of one address are accepted', async () => {
  const logins = new FailedLogins(new ManualClock());
  const own = await Promise.all([1, 2, 3, 4].map(() => logins.begin('10.0.0.1')));
  await expect(logins.begin('10.0.0.1')).rejects.toMatchObject({ code: 'unavailable' });
  own[0]?.[Symbol.dispose]();
  await logins.begin('10.0.0.1');
});

test('login attempts are checked one at a time, addresses with the fewest failures first, then in order', async () => {
  const logins = new FailedLogins(new ManualClock());
  await fail(logins, '10.0.0.1', 2);
  await fail(logins, '10.0.0.2', 1);
  const turns: string[] = [];
  const attempt = async (address: string): Promise<void> => {
    using login = await logins.begin(address);
    await login.acquireSlot();
    turns.push(address);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.all(['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map(attempt));
  expect(turns).toEqual(['10.0.0.1', '10.0.0.3', '10.0.0.4', '10.0.0.2', '10.0.0.1']);
});

test('a full login queue drops an attempt of an address with failures in favor of an address without failures', async () => {
  const logins = new FailedLogins(new ManualClock());
  const waitFor = async (address: string): Promise<string> => {
    using login = await logins.begin(address);
    await login.acquireSlot();
    return 'looked at';
  };
  const running = await logins.begin('10.9.9.9');
  await running.acquireSlot();
  await fail(logins, '10.0.0.0', 1);
  const guess = waitFor('10.0.0.0');
  const clean = Array.from({ length: ATTEMPTS_MAX - 2 }, (_, host) =>
    waitFor(`10.1.${String(host >> 8)}.${String(host & 255)}`),
  );
  // After this turn of the event loop, all attempts are in the queue.
  await new Promise((resolve) => setImmediate(resolve));
  const newcomer = waitFor('10.0.0.1');
  await expect(guess).rejects.toMatchObject({ code: 'unavailable' });
  await expect(waitFor('10.0.0.2')).rejects.toMatchObject({ code: 'unavailable' });
  running[Symbol.dispose]();
  expect(new Set(await Promise.all([newcomer, ...clean]))).toEqual(new Set(['looked at']));
});

test('failed logins are counted for a limited number of addresses', async () => {
  const logins = new FailedLogins(new ManualClock());
  await fail(logins, '10.0.0.1');
  for (let host = 0; host < 10_000; host++) await fail(logins, `10.1.${String(host >> 8)}.${String(host & 255)}`, 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
});
