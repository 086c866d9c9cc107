import { describe, expect, test } from 'vitest';
import { callsIn, logCalls } from '../../scripts/lib/log-calls.ts';
import { COMPUTED_MESSAGES, LOG_MESSAGES, messagesOf, PASSES_MESSAGES } from '../../scripts/lib/log-messages.ts';
import { repositoryFiles, repositoryText } from '../support/repository.ts';

const CALLS = logCalls();
const DESCRIBED = Object.values(LOG_MESSAGES).flatMap((group) => Object.keys(group));

describe('docs/reference/log-messages.md', () => {
  const page = repositoryText('docs/reference/log-messages.md');

  test('every warning and error that the source code logs is described once', () => {
    const logged = new Set(CALLS.flatMap((call) => messagesOf(call)));
    expect([...logged].toSorted()).toEqual(DESCRIBED.toSorted());
  });

  test('every group of messages is on the page', () => {
    expect(Object.keys(LOG_MESSAGES).filter((group) => !page.includes(`<!-- print: log-${group} -->`))).toEqual([]);
  });

  test('every file that computes a message is listed with its messages', () => {
    const computing = new Set(CALLS.filter(({ messages }) => messages.length === 0).map(({ file }) => file));
    expect([...computing].toSorted()).toEqual([...Object.keys(COMPUTED_MESSAGES), ...PASSES_MESSAGES].toSorted());
  });

  test('the parts of every computed message are in the source code', () => {
    const sources = [...repositoryFiles('{daemon,shared}/**/*.ts').values()];
    const parts = Object.values(COMPUTED_MESSAGES).flatMap((messages) =>
      messages.flatMap((message) => message.split('...').map((part) => part.replace(/^[.;: ]+|[.;: ]+$/g, ''))),
    );
    expect(parts.filter((part) => !sources.some((source) => source.includes(part)))).toEqual([]);
  });
});

test.each([
  { source: "log.warn({ a }, 'one, two (three)');", level: 'warn', messages: ['one, two (three)'] },
  { source: 'log.error({}, `clock ${ahead ? 1 : 2} set`);', level: 'error', messages: ['clock ... set'] },
  { source: "log.warn({}, isOld ? 'old' : 'new');", level: 'warn', messages: ['old', 'new'] },
  { source: "log.warn({}, 'a ' +\n 'b');", level: 'warn', messages: ['a b'] },
  { source: "const LATE = 'late';\nlog.warn({}, LATE);", level: 'warn', messages: ['late'] },
  { source: 'log.warn({}, warning);', level: 'warn', messages: [] },
  { source: "runDeadlines({ failure: 'lost' });", level: 'warn', messages: ['lost'] },
])('the messages $messages are found in the source code $source', ({ source, level, messages }) => {
  expect(callsIn('a.ts', source)).toEqual([{ level, file: 'a.ts', messages }]);
});
