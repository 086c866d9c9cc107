import { formatDuration } from '../../../shared/domain/duration.ts';
import type { ClusterMember } from '../../../shared/schemas/cluster.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { MemberLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { descriptionLines } from '../../text/describe.ts';
import type { Line, Tone } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';
import { whenText } from '../log/lines.ts';

type MemberState = ClusterMember['state'];

export const MEMBER_TONES: Readonly<Record<MemberState, Tone>> = { ok: 'ok', lagging: 'warning', lost: 'critical' };

const STATE_TEXTS: Readonly<Record<MemberState, string>> = {
  ok: 'ok',
  lagging: 'lagging: too far behind to serve requests; clients get an error',
  lost: 'lost: no heartbeat for a while',
};

/** Returns the lines of the screen of a cluster member, with all its attributes. */
export function memberLines(
  { nowMs, state: { size } }: ScreenView & Pick<LiveData, 'nowMs'>,
  { load: { data } }: MemberLayer,
): readonly Line[] {
  if (data === undefined) return [];
  const ago = (seconds: number): string =>
    `${whenText(seconds * 1000, nowMs)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
  const { name, role, state, lag, seq, last_seen: seen, since, version, url, id } = data;
  return descriptionLines(
    [
      { label: 'member', text: name },
      role === 'leader'
        ? { label: 'role', text: 'leader: all writes go through this member', tone: 'strong' }
        : { label: 'role', text: role },
      { label: 'state', text: STATE_TEXTS[state], tone: MEMBER_TONES[state] },
      { label: 'has', text: `write ${countText(seq)}${lag === 0 ? ', up to date' : ''}` },
      ...(lag === 0 ? [] : [{ label: 'lag', text: `${countText(lag)} writes`, tone: 'warning' as const }]),
      { label: 'seen', text: ago(seen) },
      { label: 'started', text: ago(since) },
      { label: 'version', text: version },
      { label: 'address', text: url },
      { label: 'id', text: id },
    ],
    { width: size.columns - 1 },
  );
}
