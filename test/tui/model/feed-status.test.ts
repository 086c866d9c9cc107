import { describe, expect, test } from 'vitest';
import {
  updateFromFrame,
  updateFromStats,
  INITIAL_FEED_STATUS,
  isConnected,
  currentLagMs,
  updateConnection,
  RATES_MAX,
} from '../../../tui/model/feed-status.ts';
import { SCENE_STATS } from '../../support/console-scene.ts';

const waiting = { kind: 'waiting', attempt: 2, retryAtMs: 0, reason: 'gone' } as const;

describe('the lag of the feed', () => {
  test('the lag of the feed is the extra time of a frame over the fastest frame, since clocks may differ', () => {
    // The clock of the backend is an hour ahead, and the network takes 20 ms.
    const quickest = updateFromFrame(INITIAL_FEED_STATUS, 3_600_000 - 20, 0);
    expect(quickest.lagMs).toBe(0);
    expect(updateFromFrame(quickest, 3_600_000 - 20 + 1000, 4000).lagMs).toBe(3000);
  });

  test('the lag of the feed is the age of the last frame from three seconds on', () => {
    const heard = updateFromFrame(INITIAL_FEED_STATUS, 1000, 1000);
    expect([1000, 3999, 4000, 9000].map((nowMs) => currentLagMs(heard, nowMs))).toEqual([0, 0, 3000, 8000]);
    expect(currentLagMs(INITIAL_FEED_STATUS, 9000)).toBe(0);
  });

  test('the lag of the feed is measured anew for each connection', () => {
    const late = updateFromFrame(updateFromFrame(INITIAL_FEED_STATUS, 1000, 1000), 1000, 9000);
    const again = updateConnection(late, waiting, 9000);
    expect([late.lagMs, again.lagMs]).toEqual([8000, 0]);
    expect(updateFromFrame(again, 9000, 9500).lagMs).toBe(0);
  });
});

describe('a lost connection', () => {
  test('the duration of a lost connection is measured from the loss, over all attempts to reconnect', () => {
    let status = updateConnection(INITIAL_FEED_STATUS, { kind: 'live' }, 1000);
    expect(status.lostAtMs).toBeUndefined();
    status = updateConnection(status, waiting, 5000);
    status = updateConnection(status, { kind: 'connecting', attempt: 2 }, 6000);
    status = updateConnection(status, waiting, 7000);
    expect(status.lostAtMs).toBe(5000);
    expect(updateConnection(status, { kind: 'syncing' }, 8000).lostAtMs).toBeUndefined();
  });

  test('a console with a lost connection counts as disconnected, so that it sends no change', () => {
    expect(isConnected(updateConnection(INITIAL_FEED_STATUS, waiting, 0))).toBe(false);
    expect(isConnected(updateConnection(INITIAL_FEED_STATUS, { kind: 'live' }, 0))).toBe(true);
  });
});

test('the feed status keeps the rates of five minutes', () => {
  let status = INITIAL_FEED_STATUS;
  for (let second = 0; second < RATES_MAX + 10; second += 1) {
    status = updateFromStats(status, { ...SCENE_STATS, rate: second }, second * 1000, second * 1000);
  }
  expect(status.rates).toHaveLength(RATES_MAX);
  expect([status.rates[0], status.rates.at(-1)]).toEqual([10, RATES_MAX + 9]);
});
