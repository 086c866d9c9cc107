import type { GroupRun, HandledEvent } from '../../schemas/handler-job.ts';
import type { HandlerDefinition } from '../../schemas/handler.ts';
import type { Attributes } from '../attributes.ts';
import { attributePaths } from '../expression/attribute-paths.ts';
import { formatGroupLabel } from '../notify/group-key.ts';
import type { MessageButtons } from '../chat/button.ts';
import { EVENT_SUBJECT, V1_EVENT, type Shape } from '../attribute-shapes.ts';
import { unknownAttributes, unknownAttributeText } from '../unknown-attributes.ts';
import { templateSubjectOf } from '../v2/event-subject.ts';
import { plainLine, plainText } from './clip.ts';
import { groupMessageOf } from './group-message.ts';
import { messageOf, type Message } from './message.ts';
import { parseTemplate, renderTemplate } from './template.ts';

/** The attributes of a handler that determine the text of its messages; see `handlerSchema`. */
interface MessageSettings {
  readonly event_format?: 'legacy' | 'core' | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly templates?: Readonly<Record<string, string | undefined>> | undefined;
  readonly details?: readonly string[] | undefined;
}

/** The event or group of events that a message is about. */
export interface MessageSubject {
  readonly namespace: string;
  /** The event, redacted if the handler requires it. */
  readonly event: HandledEvent;
  /** The group to notify about; if it is set, `event` is ignored. */
  readonly group?: GroupRun | undefined;
  /**
   * The output of a mutator. If undefined, the message contains the output of the check, or the list of grouped events.
   */
  readonly output: string | undefined;
  /** The setting `public-url`; undefined if it is not set. */
  readonly publicUrl?: string | undefined;
  /** The buttons of a chat message; see `Message.buttons`. */
  readonly buttons?: MessageButtons | undefined;
  /** The line about a click; see `Message.note`. */
  readonly note?: string | undefined;
  /** The current time in epoch milliseconds. */
  readonly nowMs: number;
}

/** Renders the default message about one event or group, and the templates of a handler (completion 1.23). */
export class MessageRenderer {
  readonly message: Message;
  /** Problems in the templates of the handler, such as missing attributes, which the caller logs. */
  readonly problems: string[] = [];
  readonly #names: Attributes;
  readonly #nowMs: number;
  readonly #templates: NonNullable<MessageSettings['templates']>;

  constructor(
    { event_format: format, templates = {}, details }: MessageSettings,
    { namespace, event, group, output, publicUrl, nowMs }: MessageSubject,
  ) {
    const parts = { namespace, output, details, publicUrl, nowMs };
    this.message = group === undefined ? messageOf({ ...parts, event }) : groupMessageOf({ ...parts, group });
    const { severity, title, output: messageOutput } = this.message;
    const words = { severity, title, output: messageOutput };
    if (group === undefined) {
      const subject = format === 'core' ? templateSubjectOf(namespace, event) : event;
      this.#names = { event: subject, ...words };
    } else {
      const { events: _, ...counts } = group;
      this.#names = { group: { ...counts, label: formatGroupLabel(Object.entries(group.by)) }, ...words };
    }
    this.#nowMs = nowMs;
    this.#templates = templates;
  }

  /**
   * Renders a template of the handler as one line of plain text. Returns undefined if the handler has no such template,
   * or if the template is invalid or its text is empty.
   */
  line(name: string): string | undefined {
    const text = this.#rendered(name, plainLine);
    return text === undefined ? undefined : plainLine(text) || undefined;
  }

  /**
   * Renders a template of the handler with markup. Returns undefined if the handler has no such template, or if it is
   * invalid.
   *
   * @param escape callback that escapes a value for the markup of the template
   */
  text(name: string, escape: (text: string) => string): string | undefined {
    return this.#rendered(name, (value) => escape(plainText(value)));
  }

  #rendered(name: string, escape: (value: string) => string): string | undefined {
    const source = this.#templates[name];
    if (source === undefined) return undefined;
    const template = parseTemplate(source);
    if (template.kind === 'problem') {
      this.problems.push(`templates.${name}: ${template.message}`);
      return undefined;
    }
    const { text, problems } = renderTemplate(template, { names: this.#names, nowMs: this.#nowMs }, escape);
    this.problems.push(...problems.map((problem) => `templates.${name}: ${problem}`));
    return text;
  }
}

/** A problem in a template of a handler that is found when the handler is loaded, without an event. */
export interface TemplateProblem {
  readonly name: string;
  readonly message: string;
  /** Whether the template has a syntax error; otherwise it names an unknown attribute. */
  readonly isBroken: boolean;
}

/** The attributes of a group that templates can use. */
const GROUP_SHAPE: Shape = {
  id: 'any',
  by: 'any',
  label: 'any',
  cause: 'any',
  severity: 'any',
  firing: 'any',
  new: 'any',
  changed: 'any',
  resolved: 'any',
  omitted: 'any',
};

/** Returns the problems in the templates of a handler that can be found without an event. */
export function templateRemarks(handler: HandlerDefinition): TemplateProblem[] {
  if (handler.type !== 'webhook' && handler.type !== 'email') return [];
  const { event_format: format, group_by: by, templates = {} }: MessageSettings = handler;
  const event = format === 'core' ? (EVENT_SUBJECT as { readonly event: Shape }).event : V1_EVENT;
  const shape: Shape = {
    ...(by === undefined ? { event } : { group: GROUP_SHAPE }),
    severity: 'any',
    title: 'any',
    output: 'any',
  };
  return Object.entries(templates).flatMap(([name, source = '']): TemplateProblem[] => {
    const template = parseTemplate(source);
    if (template.kind === 'problem') {
      const message = `${template.message} (character ${String(template.position + 1)})`;
      return [{ name, message, isBroken: true }];
    }
    const paths = template.parts.flatMap((part) => (typeof part === 'string' ? [] : attributePaths(part)));
    return unknownAttributes(paths, shape).map((unknown) => ({
      name,
      message: unknownAttributeText(unknown),
      isBroken: false,
    }));
  });
}
