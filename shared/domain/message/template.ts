import { attributeText } from '../attributes.ts';
import { readScript, runScript, type Script } from '../expression/script.ts';
import { ScriptDate, toText } from '../expression/script-values.ts';
import type { ExpressionProblem } from '../expression/syntax-problem.ts';

/**
 * A text that contains v2 expressions such as `{{ event.check.output }}` (docs/expressions.md). They are interpreted
 * without a JavaScript engine, and the length of the rendered text is bounded.
 */
export interface Template {
  readonly kind: 'template';
  /** Literal texts and expressions, in the order of the template. */
  readonly parts: readonly (string | Script)[];
}

export interface RenderedTemplate {
  readonly text: string;
  /** Error messages: expressions without a value (rendered as empty text), and whether the text was cut. */
  readonly problems: readonly string[];
}

/** The values with which a template is rendered. */
export interface TemplateSubject {
  readonly names: Readonly<Record<string, unknown>>;
  /** The current time in epoch milliseconds. */
  readonly nowMs: number;
}

const EXPRESSIONS_MAX = 50;

/** Maximum number of characters of the rendered text; a longer text is cut. */
const RENDERED_MAX = 256 * 1024;

const PLACEHOLDER_FORMAT = /\{\{([^]*?)\}\}/g;

/** Parses a template. Never throws. */
export function parseTemplate(source: string): Template | ExpressionProblem {
  const parts: (string | Script)[] = [];
  let end = 0;
  for (const placeholder of source.matchAll(PLACEHOLDER_FORMAT)) {
    const [matchedText, inner = ''] = placeholder;
    if (parts.length >= 2 * EXPRESSIONS_MAX) {
      return templateProblem(
        `a template has at most ${String(EXPRESSIONS_MAX)} expressions: use fewer`,
        placeholder.index,
      );
    }
    if (inner.trim() === '')
      return templateProblem('{{ }} needs an expression, such as event.check.output', placeholder.index);
    const script = readScript(inner);
    if (script.kind === 'problem') return templateProblem(script.message, placeholder.index + 2 + script.position);
    parts.push(source.slice(end, placeholder.index), script);
    end = placeholder.index + matchedText.length;
  }
  const tail = source.slice(end);
  const open = tail.indexOf('{{');
  if (open !== -1) return templateProblem('{{ needs a }} after its expression', end + open);
  return { kind: 'template', parts: [...parts, tail] };
}

function templateProblem(message: string, position: number): ExpressionProblem {
  return { kind: 'problem', message, position };
}

/**
 * Renders a template. Never throws: an expression that fails becomes empty text, because a message with a gap is better
 * than no message.
 *
 * @param escape callback that escapes a value for the surrounding markup
 */
export function renderTemplate(
  { parts }: Template,
  { names, nowMs }: TemplateSubject,
  escape: (value: string) => string,
): RenderedTemplate {
  const problems = new Set<string>();
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : escape(valueOf(part, names, nowMs, problems));
    if (text.length > RENDERED_MAX) {
      problems.add(`the message has more than ${String(RENDERED_MAX)} characters and was cut`);
      text = text.slice(0, RENDERED_MAX).toWellFormed();
      break;
    }
  }
  return { text, problems: [...problems] };
}

function valueOf(
  script: Script,
  names: Readonly<Record<string, unknown>>,
  nowMs: number,
  problems: Set<string>,
): string {
  const outcome = runScript(script, names, nowMs);
  if (outcome.kind === 'value' && typeof outcome.value !== 'function') return textOf(outcome.value);
  const why = outcome.kind === 'thrown' ? outcome.message : 'the method is not called';
  problems.add(`{{${script.source}}} has no value: ${why}`);
  return '';
}

function textOf(value: unknown): string {
  return value instanceof ScriptDate || typeof value === 'number' ? toText(value) : attributeText(value);
}
