import type { ReactElement } from 'react';
import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../store/console-state.ts';
import { countOf } from '../store/event-actions.ts';
import {
  SILENCE_DURATIONS,
  silenceScopes,
  silenceSeconds,
  type SilenceForm,
  type SilenceScope,
} from '../store/silence-form.ts';
import type { SilencePreview } from '../store/silence-preview.ts';
import { cutCells, wrapCells } from '../store/wrap-cells.ts';
import { run, STATUS, type Run, type Theme } from '../theme.ts';
import { clockText } from './connection-text.ts';
import { buttonRun, Dialog, dialogWidth } from './dialog.tsx';
import { fieldRuns } from './text-field.ts';

/** A silence that covers more than this is worth a second look. */
const MANY_EVENTS = 50;

/** Names in a line before it becomes a number. */
const NAMED_MAX = 3;

export interface SilenceDialogProps {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly form: SilenceForm;
  readonly preview: SilencePreview;
  readonly nowMs: number;
}

export function SilenceDialog({ theme, size, form, preview, nowMs }: SilenceDialogProps): ReactElement {
  const width = dialogWidth(size.columns);
  const lines: readonly (readonly Run[])[] = [
    ...scopeLines(form, width),
    ...expiryLines(form),
    [
      label('Reason *', form.field === 'reason'),
      ...fieldRuns(form.reason, width - LABEL_CELLS, form.field === 'reason'),
    ],
    [],
    ...previewLines(form, preview, nowMs),
    ...(form.problem === undefined ? [[]] : wrapCells(form.problem, width).map((line) => [run(line, 'critical')])),
    [
      buttonRun('Cancel', form.field === 'cancel'),
      run('   '),
      buttonRun(`Silence ${countOf(preview.total, 'event')}`, form.field === 'submit'),
      run('   Ctrl-S submit   Esc cancel', 'faint'),
    ],
  ];
  const marked = form.targets.length === 1 ? targetName(form) : countOf(form.targets.length, 'event');
  return <Dialog theme={theme} size={size} title={`Silence ${marked}`} lines={lines} />;
}

const LABEL_CELLS = 10;

function label(text: string, focused: boolean): Run {
  return run(`${focused ? '>' : ' '}${text}`.padEnd(LABEL_CELLS), focused ? 'strong' : 'faint');
}

function scopeLines(form: SilenceForm, width: number): readonly (readonly Run[])[] {
  return silenceScopes(form).map((scope, index) => {
    const isChosen = scope === form.scope;
    const isHere = form.field === 'scope' || (form.field === 'subscription' && scope === 'subscription');
    const text = cutCells(`${isChosen ? '(•)' : '( )'} ${scopeText(form, scope)}`, width - LABEL_CELLS);
    return [
      label(index === 0 ? 'Scope' : '', form.field === 'scope' && index === 0),
      run(text, isChosen ? (isHere ? 'cursor' : 'strong') : 'plain'),
    ];
  });
}

function scopeText(form: SilenceForm, scope: SilenceScope): string {
  const { targets } = form;
  switch (scope) {
    case 'pairs':
      return targets.length === 1
        ? `this check on this client: ${targetName(form)}`
        : `these ${String(targets.length)} client/check pairs: ${names(targets.map(({ client, check }) => `${client}/${check}`))}`;
    case 'checks':
      return `check ${names(targets.map((target) => target.check))} on all clients`;
    case 'clients':
      return `client ${names(targets.map((target) => target.client))}: all checks`;
    case 'subscription': {
      const more =
        form.subscriptions.length > 1
          ? `  (${String(form.subscription + 1)} of ${String(form.subscriptions.length)}: Tab, ←→)`
          : '';
      return `subscription ${safeLine(form.subscriptions[form.subscription] ?? '')}, all checks${more}`;
    }
  }
}

function expiryLines(form: SilenceForm): readonly (readonly Run[])[] {
  const { field } = form;
  const presets = SILENCE_DURATIONS.flatMap(({ label: name }, index): readonly Run[] => {
    if (index !== form.duration) return [run(` ${name}  `)];
    return [run(`[${name}]`, field === 'expires' ? 'cursor' : 'strong'), run(' ')];
  });
  const custom =
    SILENCE_DURATIONS[form.duration]?.seconds === undefined
      ? [
          [
            label('  lasts', field === 'custom'),
            ...fieldRuns(form.custom, 16, field === 'custom'),
            run(' 90m, 2h, 1d12h', 'faint'),
          ],
        ]
      : [];
  return [
    [label('Expires', field === 'expires'), ...presets],
    ...custom,
    [
      label('', field === 'on-resolve'),
      run(`[${form.onResolve ? 'x' : ' '}]`, field === 'on-resolve' ? 'cursor' : 'plain'),
      run(' end it when the check resolves  '),
      run('(Space)', 'faint'),
    ],
  ];
}

function previewLines(form: SilenceForm, preview: SilencePreview, nowMs: number): readonly (readonly Run[])[] {
  const { total, bySeverity, alreadySilenced } = preview;
  const parts = (['critical', 'warning', 'unknown', 'ok'] as const)
    .filter((severity) => bySeverity[severity] > 0)
    .map((severity) => run(` ${STATUS[severity].symbol} ${String(bySeverity[severity])}`, STATUS[severity].tone));
  const already = alreadySilenced === 0 ? '' : `, ${String(alreadySilenced)} already silenced`;
  const many = total > MANY_EVENTS ? [run('  many: is the scope right?', 'warning')] : [];
  const seconds = silenceSeconds(form);
  const ends = seconds === undefined ? 'type a duration' : `ends ${endText(nowMs, seconds)}`;
  return [
    [
      label('Preview', false),
      run(`matches now: ${countOf(total, 'event')}`, 'strong'),
      ...parts,
      run(already),
      ...many,
    ],
    [label('', false), run(`${ends}${form.onResolve ? ' or when the check resolves' : ''}`)],
  ];
}

function endText(nowMs: number, seconds: number): string {
  const endMs = nowMs + seconds * 1000;
  // Far beyond what a date can hold the entry would be refused anyway.
  if (!Number.isFinite(new Date(endMs).getTime())) return 'never';
  const day = new Date(endMs).toISOString().slice(0, 10);
  const isToday = day === new Date(nowMs).toISOString().slice(0, 10);
  return `${isToday ? '' : `${day} `}${clockText(endMs, false)} (in ${formatDuration(seconds)})`;
}

function targetName({ targets: [target] }: SilenceForm): string {
  return target === undefined ? '' : safeLine(`${target.client}/${target.check}`);
}

function names(all: readonly string[]): string {
  const unique = [...new Set(all)].map(safeLine);
  const rest = unique.length - NAMED_MAX;
  return rest > 0 ? `${unique.slice(0, NAMED_MAX).join(', ')} and ${String(rest)} more` : unique.join(', ');
}
