import { cronSchedule } from '../../daemon/schedule/cron-schedule.ts';
import { attributeText } from '../../shared/domain/attributes.ts';
import { eventConditions, evaluateExpressions } from '../../shared/domain/v2/expressions.ts';
import { readFieldPath, isSelected, parseV2Selector } from '../../shared/domain/v2/selectors.ts';
import { evaluateExpression, parseExpression } from '../../shared/domain/expression/expression.ts';
import { matchesSearch, parseSearch, type SearchRow } from '../../shared/domain/search.ts';
import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import { substituteTokens } from '../../shared/domain/tokens.ts';
import { cronProblem, dateProblem } from '../../shared/schemas/cron.ts';
import { timeWindowsSchema } from '../../shared/schemas/time-window.ts';
import { printSearch } from '../support/print-search.ts';
import type { RandomChoices } from './random-choices.ts';

/** A language, such as cron schedules or searches, whose texts come from users and are parsed by `mon`. */
export interface Language {
  readonly name: string;
  /** Tokens of the language, from which random texts are joined. */
  readonly pieces: readonly string[];
  /** Lists of text parts: one random part of each list, joined in order, is likely to form a valid text. */
  readonly slots: readonly (readonly string[])[];
  /** Pairs of delimiters that can enclose other text, nested to any depth. */
  readonly brackets: readonly [readonly [string, string], ...(readonly [string, string])[]];
  /**
   * Parses a text, and evaluates it with a random input if it is valid.
   *
   * @returns true if the text is valid
   * @throws Error if the result violates a guarantee of the language
   */
  readonly parseAndEvaluate: (text: string, about: Subject) => boolean;
}

/** Random input for the evaluation of a parsed text. */
export interface Subject {
  readonly word: string;
  readonly number: number;
  readonly nowMs: number;
  readonly zone: string;
}

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/New_York',
  '-02:30',
] as const;

/** Upper bound of random times in epoch milliseconds, in the year 2099; the lower bound is 1970. */
const EPOCH_MS_MAX = 4.1e12;

/**
 * Returns a random input for an evaluation.
 *
 * @param write callback that returns a random text of the language
 */
export function subjectOf(random: RandomChoices, write: () => string): Subject {
  return {
    word:
      random.below(2) === 0
        ? write()
        : random.pick(['', 'production', 'a', '[1, 2]', '12', '\u0000', '😀'.repeat(200)]),
    number: random.pick([0, 1, -1, 0.5, 60, 2 ** 31, 1e300, random.below(1e6)]),
    nowMs: random.below(EPOCH_MS_MAX),
    zone: random.pick(ZONES),
  };
}

/** Splits rows at the character `¦`, which occurs in no text of a language. */
function texts(...rows: readonly string[]): string[] {
  return rows.flatMap((row) => row.split('¦'));
}

const tokens: Language = {
  name: 'tokens',
  pieces: texts(':::¦::¦:¦|¦.¦name¦disk.path¦nope¦tags¦nested¦/etc¦ ¦\n¦\ud83d¦"¦$&¦$1'),
  slots: [
    texts('echo ¦x=¦\n'),
    texts(':::'),
    texts('name¦disk.path¦tags¦a¦nope|¦nope|a|b¦nested.deep|:'),
    texts(':::'),
    texts('¦ -w 5¦:'),
  ],
  brackets: [
    [':::', ':::'],
    [':::a|', ':::'],
  ],
  parseAndEvaluate(text, { word, number }) {
    const attributes = { name: word, tags: [word, number], nested: { deep: {} }, disk: { path: text }, a: number };
    const { value, unmatched } = substituteTokens({ command: text, list: [{ text }], [text]: null }, attributes);
    if (unmatched.length !== new Set(unmatched).size) throw new Error('a token is told twice');
    const { command } = value as { readonly command: string };
    if (!command.isWellFormed()) throw new Error('what comes out has no UTF-8 form');
    const isUntouched = command === text;
    if (!text.includes(':::') && !isUntouched && text.isWellFormed())
      throw new Error('a text without tokens was changed');
    return !isUntouched && unmatched.length === 0;
  },
};

const timeWindows: Language = {
  name: 'time windows',
  pieces: texts('5¦17¦00¦12¦24¦59¦:¦:¦ ¦AM¦pm¦UTC¦+02:00¦-¦Europe/Berlin¦EST¦Z¦/¦X'),
  slots: [
    texts('5¦12¦1¦10¦00'),
    texts(':00¦:59¦:59:59¦:30'),
    texts('¦ AM¦ pm¦PM'),
    texts('¦¦ UTC¦ +02:00¦ Europe/Berlin¦ EST'),
  ],
  brackets: [
    ['1', '2'],
    [':', '0'],
  ],
  parseAndEvaluate(text, { word, nowMs, zone }) {
    const sane = { begin: '5:00 PM', end: '8:00 AM' };
    const given = timeWindowsSchema.safeParse({
      days: { all: [sane, { begin: text, end: text }], friday: [{ begin: text, end: word }] },
    });
    timeWindowsSchema.safeParse({ days: { [text]: [sane], [word]: [sane] } });
    const alone = timeWindowsSchema.safeParse({ days: { all: [{ begin: text, end: text }] } });
    for (const { success, data } of [given, alone]) {
      if (!success) continue;
      const windows = parseTimeWindows(data);
      isInWindow(windows, nowMs, zone);
    }
    return alone.success;
  },
};

/** Whole schedule fields are tokens too: random characters alone would hardly ever form a valid schedule. */
const cron: Language = {
  name: 'cron schedules',
  pieces: texts(
    ' ¦ ¦* ¦*/5 ¦0 ¦1-5 ¦1-30/7 ¦0,15 ¦31 ¦29 ¦30 2 ¦jan ¦feb,apr ¦sun-sat ¦MON ¦7 ¦59¦-¦,¦/¦L¦#',
    '?¦W¦@daily¦@¦+',
  ),
  slots: [
    texts('*¦*/7¦0¦5-59/9¦0,30,59'),
    texts(' * ¦ 0 ¦ 2 ¦ */5 ¦ 22-23 '),
    texts('*¦1¦29¦31¦30-31¦*/31¦1,15'),
    texts(' * ¦ 2 ¦ feb ¦ jan-mar ¦ */5 ¦ 4,6,9,11 '),
    texts('*¦7¦sun¦mon-fri¦*/3¦1,3'),
    texts('¦¦ 2030'),
  ],
  brackets: [
    ['1,', ',2'],
    ['* ', ' *'],
  ],
  parseAndEvaluate(text, { nowMs, zone }) {
    if (cronProblem(text) !== undefined) return false;
    const next = cronSchedule(text, zone)(nowMs);
    if (dateProblem(text) !== undefined) {
      if (next !== undefined) throw new Error(`a date that never comes comes at ${String(next)} in ${zone}`);
      return true;
    }
    if (next === undefined || next <= nowMs) throw new Error(`no moment comes after ${String(nowMs)} in ${zone}`);
    return true;
  },
};

const expressions: Language = {
  name: 'expressions',
  pieces: texts(
    `value¦nil¦true¦0¦1.5¦1e9¦'a'¦"b¦':::¦:::client.name|x:::¦:::n:::¦[¦]¦(¦)¦,¦..¦.¦ == ¦ != ¦<`,
    '>=¦ && ¦ || ¦+¦-¦*¦/¦%¦!¦?¦:¦ =~ /¦/i¦/¦include?(¦start_with?(¦length¦to_i¦to_s¦abs',
    `between?(¦Time.now¦Time.at(¦.hour¦in: 'UTC'¦(a+)+$¦[^a-z]¦{2,5}¦\\d¦^¦.*¦|¦\\¦ ¦ä¦\u0000`,
    '.empty?¦.nil?¦.size¦.upcase¦.downcase¦.to_f¦.end_with?(¦.yday¦.wday¦1e308¦{999}¦#{¦constructor¦.__proto__',
    ':::constructor.name:::¦:::__proto__|1:::¦\uD800¦\u202E¦😀',
  ),
  slots: [
    texts('¦!¦-¦('),
    texts(`value¦1¦'a:::n:::'¦[value, nil]¦:::client.name|3:::¦value.to_s¦(1..9)¦Time.at(60).hour¦:::n:::`),
    texts(' == ¦ && ¦ || ¦ < ¦ + ¦ * ¦ % ¦ - ¦.include?(¦ =~ /(a|ä)*$/ || '),
    texts('value¦60¦"b"¦value.length¦nil¦Time.now.wday¦value.nil? ? 1 : 2'),
    texts('¦¦)'),
  ],
  brackets: [
    ['(', ')'],
    ['[', ']'],
    ['!', ''],
    ['value =~ /(', ')+/'],
    ['value + ', ''],
    ['value.include?(', ')'],
  ],
  parseAndEvaluate(text, { word, number, nowMs, zone }) {
    const outcome = parseExpression(text);
    if (outcome.kind === 'problem') {
      if (outcome.position < 0 || outcome.position > text.length) throw new Error('the problem is outside of the text');
      return false;
    }
    const token = (path: readonly string[]): unknown => (path[0] === 'n' ? number : [word, number]);
    for (const value of [word, number, [word, number, null], undefined]) {
      const evaluation = evaluateExpression(outcome, { value, token, nowMs, zone });
      if (evaluation.kind === 'value' && typeof evaluation.value === 'function') throw new Error('its value is code');
    }
    return true;
  },
};

const searches: Language = {
  name: 'searches',
  pieces: texts(
    'disk¦web-1¦"¦"a b"¦ and ¦ or ¦not ¦ ¦!¦(¦)¦\\¦*¦?¦ä¦\u0007¦client¦check¦output¦status¦occurrences',
    'action¦silenced¦flapping¦silenced_by¦age¦last¦=¦!=¦~¦>=¦<¦warn¦crit¦2¦1h30m¦1e9¦*a*a*a*',
    'create¦client:*',
  ),
  slots: [
    texts('¦!¦('),
    texts('disk¦silenced¦status>=warn¦client~web-*¦age>1h¦"a b"'),
    texts(' ¦ and ¦ or '),
    texts('web¦occurrences>3¦action=create¦last<5m¦output~a?b'),
    texts('¦)'),
  ],
  brackets: [
    ['(', ')'],
    ['!', ''],
    ['client~*', '*'],
    ['a or (', ')'],
  ],
  parseAndEvaluate(text, { word, number, nowMs }) {
    const search = parseSearch(text);
    if (search.kind === 'problem') {
      if (search.position < 0 || search.position > text.length) throw new Error('the problem is outside of the text');
      return false;
    }
    const nowSeconds = Math.floor(nowMs / 1000);
    const row: SearchRow = {
      client: word,
      check: attributeText(number),
      status: number,
      action: 'create',
      occurrences: number,
      since: nowSeconds - 60,
      last: nowSeconds,
      silenced_by: [word, 'client:web-1'],
      output: word,
    };
    const printed = printSearch(search);
    const again = parseSearch(printed);
    if (again.kind === 'problem') {
      // The canonical form of a very long search may exceed the maximum length of a search.
      if (printed.length <= text.length) throw new Error(`it prints as ${printed}, which is none: ${again.message}`);
    } else if (matchesSearch(search, row, nowSeconds) !== matchesSearch(again, row, nowSeconds)) {
      throw new Error(`it prints as ${printed}, which finds something else`);
    }
    return true;
  },
};

/** Expressions in the fields where the v2 API of Sensu Go has JavaScript. */
const eventExpressions: Language = {
  name: 'expressions about events',
  pieces: [
    ...expressions.pieces,
    ...texts(
      "event¦event.check¦.status¦['labels']¦[\"a b\"]¦['¦']¦ === ¦ !== ¦.constructor¦.__proto__¦['__proto__']¦entity.",
    ),
  ],
  slots: [
    texts('¦!¦('),
    texts("event.check.status¦event.check.labels['team']¦event.nothing.at.all¦event.list.size¦event.is_incident"),
    texts(' === ¦ !== ¦ == ¦ && ¦ || ¦ % ¦.include?(¦ =~ /(a|ä)*$/ || '),
    texts("0¦'ops'¦event.check.occurrences¦event['check']['status']¦nil"),
    texts('¦¦)'),
  ],
  brackets: [['event[', ']'], ["event['", "']"], ['event.a', ''], ...expressions.brackets],
  parseAndEvaluate(text, { word, number, nowMs, zone }) {
    const conditions = eventConditions([text]);
    if ('problem' in conditions) return false;
    const event = {
      check: { status: number, occurrences: 1, labels: { team: word } },
      list: [word],
      is_incident: true,
    };
    const { objection } = evaluateExpressions(conditions, { event }, { nowMs, zone });
    if (objection !== undefined && objection.source !== text) throw new Error('it objects to something else');
    return true;
  },
};

const selectors: Language = {
  name: 'selectors',
  pieces: texts(
    `check.name¦event.check.labels.a¦ == ¦!=¦=¦ in ¦ notin ¦ matches ¦[¦]¦,¦ && ¦&¦"¦'¦"a b"¦disk¦2¦ä¦ ¦\t¦\u0000¦|¦__proto__`,
  ),
  slots: [
    texts('check.name¦"linux"¦check.labels.team¦check.status'),
    texts(' == ¦ != ¦ matches ¦ in ¦ notin '),
    texts('disk¦"a b"¦check.handlers¦[a]¦[a, "b", c]'),
    texts('¦ && check.status != 0¦ && x in check.handlers'),
  ],
  brackets: [
    ['[', ']'],
    ['"', '"'],
    ['a == b && ', ''],
  ],
  parseAndEvaluate(text, { word, number }) {
    const selector = parseV2Selector(text);
    if (selector.kind === 'problem') return false;
    const check = { metadata: { name: word, labels: { team: word } }, status: number, handlers: [word, null, number] };
    const isWanted = isSelected(selector, (name) => readFieldPath({ check }, name));
    if (typeof isWanted !== 'boolean') throw new Error('it neither selects nor leaves out');
    return true;
  },
};

export const LANGUAGES: readonly Language[] = [
  tokens,
  timeWindows,
  cron,
  expressions,
  eventExpressions,
  selectors,
  searches,
];
