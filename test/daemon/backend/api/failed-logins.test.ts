import { expect, test } from 'vitest';
import { DELAY_MS, FailedLogins, FREE_FAILURES } from '../../../../daemon/backend/api/failed-logins.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** Fails so often, each attempt over before the next. */
async function fail(logins: FailedLogins, address: string, times = FREE_FAILURES): Promise<void> {
  for (let count = 0; count < times; count++) {
    using login = await logins.begin(address);
    login.fail();
  }
}

/** Whether an attempt may go on without waiting. */
async function isFree(logins: FailedLogins, address: string): Promise<boolean> {
  const attempt = logins.begin(address).then((begun) => {
    begun[Symbol.dispose]();
    return true;
  });
  // Whatever is free has settled by the next turn of the event loop.
  const waiting = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([attempt, waiting]);
}

test('after ten failures in a minute each attempt waits; other addresses do not', async () => {
  const clock = new ManualClock();
  const logins = new FailedLogins(clock);
  await fail(logins, '10.0.0.1', FREE_FAILURES - 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
  await fail(logins, '10.0.0.1', 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(false);
  expect(await isFree(logins, '10.0.0.2')).toBe(true);
  clock.advance(60_000);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
});

test('an attempt that waits goes on after the delay', async () => {
  const clock = new ManualClock();
  const logins = new FailedLogins(clock);
  await fail(logins, '10.0.0.1');
  let hasEnded = false;
  const attempt = fail(logins, '10.0.0.1', 1).then(() => (hasEnded = true));
  clock.advance(DELAY_MS - 1);
  expect(hasEnded).toBe(false);
  clock.advance(1);
  await attempt;
  expect(hasEnded).toBe(true);
});

test.each([
  { name: 'one address in two notations', other: '::ffff:10.0.0.1', of: '10.0.0.1', isSame: true },
  { name: 'one network of IPv6', other: '2001:db8:0:7:ffff::1', of: '2001:db8::7:0:0:0:1', isSame: true },
  { name: 'a short notation of IPv6', other: '2001:db8::1', of: '2001:db8:0:0:5::', isSame: true },
  { name: 'another network of IPv6', other: '2001:db8:0:8::1', of: '2001:db8:0:7::1', isSame: false },
])('$name', async ({ other, of, isSame }) => {
  const logins = new FailedLogins(new ManualClock());
  await fail(logins, of);
  expect(await isFree(logins, other)).toBe(!isSame);
});

test('only a few attempts of an address and of all are looked at together', async () => {
  const logins = new FailedLogins(new ManualClock());
  const own = await Promise.all([1, 2, 3, 4].map(() => logins.begin('10.0.0.1')));
  await expect(logins.begin('10.0.0.1')).rejects.toMatchObject({ code: 'unavailable' });
  own[0]?.[Symbol.dispose]();
  await logins.begin('10.0.0.1');
  for (let host = 2; host < 30; host++) await logins.begin(`10.0.0.${String(host)}`);
  await expect(logins.begin('10.0.1.1')).rejects.toMatchObject({ code: 'unavailable' });
});

test('however many addresses fail, few are remembered', async () => {
  const logins = new FailedLogins(new ManualClock());
  await fail(logins, '10.0.0.1');
  for (let host = 0; host < 10_000; host++) await fail(logins, `10.1.${String(host >> 8)}.${String(host & 255)}`, 1);
  expect(await isFree(logins, '10.0.0.1')).toBe(true);
});
