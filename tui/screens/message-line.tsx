import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { run, type Run, type Theme } from '../text/theme.ts';
import { MESSAGE_TONES } from './footer.tsx';
import { Row } from '../text/row.tsx';
import type { Message } from '../model/message-log.ts';

export interface MessageLineProps {
  readonly theme: Theme;
  readonly message: Message | undefined;
  /** The connection is lost. */
  readonly stale: boolean;
  /** Something about what is shown is not as it should be. */
  readonly notice: string | undefined;
  /** Said when there is nothing else to say. */
  readonly about: string;
}

/** The line at the bottom of a page: the outcome of the last action, or what is wrong, or what the page is about. */
export function MessageLine(props: MessageLineProps): ReactElement {
  return <Row theme={props.theme} runs={messageRuns(props)} />;
}

function messageRuns({ message, stale, notice, about }: MessageLineProps): readonly Run[] {
  if (message !== undefined) return [run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])];
  if (stale) return [run(' actions are off while disconnected; this is how it was', 'warning')];
  if (notice !== undefined) return [run(` ${safeLine(notice)}`, 'warning')];
  return [run(` ${about}`, 'faint')];
}
