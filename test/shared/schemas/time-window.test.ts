import { expect, test } from 'vitest';
import { secondsOfDay } from '../../../shared/schemas/time-window.ts';

test.each([
  { time: '12:00 AM', seconds: 0 },
  { time: '12:00 PM', seconds: 12 * 3600 },
  { time: '5:00 PM', seconds: 17 * 3600 },
  { time: '5pm', seconds: 17 * 3600 },
  { time: '11:59:59 PM', seconds: 86_399 },
  { time: '00:00', seconds: 0 },
  { time: '17:30', seconds: 17.5 * 3600 },
  { time: '22:30 UTC', seconds: 22.5 * 3600 },
  { time: '22:30+02:00', seconds: 22.5 * 3600 },
  { time: '24:00', seconds: 86_400 },
  { time: '24:01', seconds: undefined },
  { time: '13:00 PM', seconds: undefined },
  { time: '0:30 AM', seconds: undefined },
  { time: '7:60', seconds: undefined },
  { time: '17', seconds: undefined },
  { time: 'noon', seconds: undefined },
  { time: '', seconds: undefined },
])('the time of day $time is parsed or rejected', ({ time, seconds }) => {
  expect(secondsOfDay(time)).toBe(seconds);
});
