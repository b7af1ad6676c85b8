import type { SessionFigures } from '../../core/ports/telemetry.ts';
import type { Registry } from './prometheus.ts';

/** Gauges of the sessions that platforms are read with, by place in the list; the function sets them to what this process knows. */
export function createSessionFigures({ gauge }: Registry): (sessions: readonly SessionFigures[]) => void {
  const up = gauge(
    'credence_platform_session_up',
    '1 if the session is in use or rests, 0 if it is logged out or has to pass a check.',
  );
  const away = gauge('credence_platform_session_sent_away', '1 for each endpoint that sends the session away.');
  return (sessions) => {
    for (const each of [up, away]) each.reset();
    for (const { platform, label: session, state, sentAwayFrom = [] } of sessions) {
      up.set({ platform, session }, state === 'active' || state === 'resting' ? 1 : 0);
      for (const endpoint of sentAwayFrom) away.set({ platform, session, endpoint }, 1);
    }
  };
}
