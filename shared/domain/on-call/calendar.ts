import type { Shift } from './on-call-at.ts';

/* The shifts of a schedule as a calendar in the format iCalendar (RFC 5545). */

const LINE_BYTES_MAX = 75;

/**
 * Returns the shifts of a schedule as the text of a calendar.
 *
 * @param nowMs time at which the calendar is made, in epoch milliseconds
 */
export function calendarText(schedule: string, shifts: readonly Shift[], nowMs: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//mon//on call//EN',
    `X-WR-CALNAME:${escapeText(`On call: ${schedule}`)}`,
    ...shifts.flatMap((shift) => eventLines(schedule, shift, nowMs)),
    'END:VCALENDAR',
  ];
  return lines
    .flatMap(foldLine)
    .map((line) => `${line}\r\n`)
    .join('');
}

function eventLines(schedule: string, { person, source, fromMs, untilMs }: Shift, nowMs: number): string[] {
  const uid = [schedule, person, source.override ?? `layer-${String(source.layer)}`, String(fromMs / 1000)].join('-');
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(`${uid}@mon`)}`,
    `DTSTAMP:${utcTime(nowMs)}`,
    `DTSTART:${utcTime(fromMs)}`,
    `DTEND:${utcTime(untilMs)}`,
    `SUMMARY:${escapeText(`${person} is on call for ${schedule}`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** Returns a time as `20261130T080000Z`. */
function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Escapes a text value (RFC 5545, 3.3.11). */
function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r?\n/g, String.raw`\n`);
}

/** Splits a line into lines of at most 75 octets; each but the first begins with a space (RFC 5545, 3.1). */
function foldLine(line: string): string[] {
  const lines = [''];
  let bytes = 0;
  for (const character of line) {
    const size = utf8Size(character);
    if (bytes + size > LINE_BYTES_MAX) {
      lines.push(' ');
      bytes = 1;
    }
    lines[lines.length - 1] += character;
    bytes += size;
  }
  return lines;
}

function utf8Size(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x8_00 ? 2 : code < 0x1_00_00 ? 3 : 4;
}
