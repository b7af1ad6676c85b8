/** What `/readyz` says about the logged-in sessions that platforms are read with: labels and states, never a session id. */
import type { Platforms } from '../../core/platforms/platforms.ts';

/**
 * One entry for each platform that has sessions, named `<platform>-sessions`; `ok` or which sessions are out of
 * use and what to do. It does not make the instance unready: most of what is read needs no session.
 */
export function reportSessions(platforms: Platforms): Readonly<Record<string, string>> {
  const entries = [...platforms.readers].flatMap(([name, platform]) => {
    const sessions = platform.sessionStates?.() ?? [];
    const lost = sessions.filter(({ state }) => state === 'dead' || state === 'quarantined');
    if (sessions.length === 0) return [];
    const list = lost.map(({ label, state }) => `${label} ${state}`).join(', ');
    return [[`${name}-sessions`, lost.length === 0 ? 'ok' : `${lost.length} of ${sessions.length} retired: ${list}`]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
