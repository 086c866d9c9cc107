import { expect, test } from 'vitest';
import { ResponseDurationHistogram } from '../../../../daemon/backend/health/response-durations.ts';

const ANSWER = { method: 'GET', route: '/events', status: 200 };

test('a response increments each histogram bucket that covers its duration', () => {
  const durations = new ResponseDurationHistogram([0.01, 0.1]);
  for (const durationMs of [2, 10, 50, 3000]) durations.observe({ ...ANSWER, durationMs });
  expect(durations.text()).toBe(`# HELP mon_http_request_duration_seconds Duration of API requests in seconds
# TYPE mon_http_request_duration_seconds histogram
mon_http_request_duration_seconds_bucket{le="0.01",method="GET",route="/events",status="200"} 2
mon_http_request_duration_seconds_bucket{le="0.1",method="GET",route="/events",status="200"} 3
mon_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/events",status="200"} 4
mon_http_request_duration_seconds_sum{method="GET",route="/events",status="200"} 3.062
mon_http_request_duration_seconds_count{method="GET",route="/events",status="200"} 4
`);
});

test.each([{ route: '/results' }, { method: 'POST' }, { status: 404 }])(
  'responses with another value in %o have a metric series of their own',
  (other) => {
    const durations = new ResponseDurationHistogram([]);
    durations.observe({ ...ANSWER, durationMs: 1 });
    durations.observe({ ...ANSWER, ...other, durationMs: 1 });
    expect(durations.text().match(/_count\{.*\} 1$/gm)).toHaveLength(2);
  },
);
