import { describe, expect, test } from 'vitest';
import {
  withFrame,
  withStats,
  INITIAL_FEED_STATUS,
  isConnected,
  lagAt,
  withConnection,
  RATES_KEPT,
} from '../../../tui/model/feed-status.ts';
import { SCENE_STATS } from '../../support/console-scene.ts';

const waiting = { kind: 'waiting', attempt: 2, retryAtMs: 0, reason: 'gone' } as const;

describe('the lag of the feed', () => {
  test('the lag of the feed is the extra time of a frame over the fastest frame, since clocks may differ', () => {
    // The clock of the backend is an hour ahead, and the network takes 20 ms.
    const quickest = withFrame(INITIAL_FEED_STATUS, 3_600_000 - 20, 0);
    expect(quickest.lagMs).toBe(0);
    expect(withFrame(quickest, 3_600_000 - 20 + 1000, 4000).lagMs).toBe(3000);
  });

  test('the lag of the feed is the age of the last frame from three seconds on', () => {
    const heard = withFrame(INITIAL_FEED_STATUS, 1000, 1000);
    expect([1000, 3999, 4000, 9000].map((nowMs) => lagAt(heard, nowMs))).toEqual([0, 0, 3000, 8000]);
    expect(lagAt(INITIAL_FEED_STATUS, 9000)).toBe(0);
  });

  test('the lag of the feed is measured anew for each connection', () => {
    const late = withFrame(withFrame(INITIAL_FEED_STATUS, 1000, 1000), 1000, 9000);
    const again = withConnection(late, waiting, 9000);
    expect([late.lagMs, again.lagMs]).toEqual([8000, 0]);
    expect(withFrame(again, 9000, 9500).lagMs).toBe(0);
  });
});

describe('a lost connection', () => {
  test('the duration of a lost connection is measured from the loss, over all attempts to reconnect', () => {
    let status = withConnection(INITIAL_FEED_STATUS, { kind: 'live' }, 1000);
    expect(status.lostAtMs).toBeUndefined();
    status = withConnection(status, waiting, 5000);
    status = withConnection(status, { kind: 'connecting', attempt: 2 }, 6000);
    status = withConnection(status, waiting, 7000);
    expect(status.lostAtMs).toBe(5000);
    expect(withConnection(status, { kind: 'syncing' }, 8000).lostAtMs).toBeUndefined();
  });

  test('a console with a lost connection counts as disconnected, so that it sends no change', () => {
    expect(isConnected(withConnection(INITIAL_FEED_STATUS, waiting, 0))).toBe(false);
    expect(isConnected(withConnection(INITIAL_FEED_STATUS, { kind: 'live' }, 0))).toBe(true);
  });
});

test('the feed status keeps the rates of five minutes', () => {
  let status = INITIAL_FEED_STATUS;
  for (let second = 0; second < RATES_KEPT + 10; second += 1) {
    status = withStats(status, { ...SCENE_STATS, rate: second }, second * 1000, second * 1000);
  }
  expect(status.rates).toHaveLength(RATES_KEPT);
  expect([status.rates[0], status.rates.at(-1)]).toEqual([10, RATES_KEPT + 9]);
});
