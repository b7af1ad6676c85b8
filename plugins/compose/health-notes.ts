/** What `/readyz` says about canaries, connections of brands, and about logged-in sessions: never a session id. */
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { Canaries } from '../../core/canaries/index.ts';
import type { Platforms } from '../../core/platforms/platforms.ts';
import type { SessionStatus } from '../../core/ports/platform.ts';
import type { Storage } from '../../core/ports/storage.ts';

/**
 * One entry for each platform that has sessions, named `<platform>-sessions`; `ok`, or which sessions are out of use and which
 * endpoints send sessions away. It does not make the instance unready: most of what is read needs no session.
 */
export function reportSessions(platforms: Platforms): Readonly<Record<string, string>> {
  const entries = [...platforms.readers].flatMap(([name, platform]) => {
    const sessions = platform.sessionStates?.() ?? [];
    return sessions.length === 0 ? [] : [[`${name}-sessions`, summaryOf(sessions)]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function summaryOf(sessions: readonly SessionStatus[]): string {
  const lost = sessions.filter(({ state }) => state === 'dead' || state === 'quarantined');
  const list = lost.map(({ label, state }) => `${label} ${state}`).join(', ');
  const endpoints = [...new Set(sessions.flatMap(({ sentAwayFrom = [] }) => sentAwayFrom))].sort();
  const away = endpoints.map((endpoint) => {
    const count = sessions.filter(({ sentAwayFrom = [] }) => sentAwayFrom.includes(endpoint)).length;
    return `${endpoint} sends ${count} of ${sessions.length} away`;
  });
  const troubles = [...(lost.length === 0 ? [] : [`${lost.length} of ${sessions.length} retired: ${list}`]), ...away];
  return troubles.length === 0 ? 'ok' : troubles.join('; ');
}

/**
 * One entry for each platform that has canaries which were read, named `<platform>-canaries`; `ok` or how many are in trouble.
 * `/readyz` is public: it names no canary. It does not make the instance unready. Never rejects.
 */
export async function reportCanaries(canaries: Pick<Canaries, 'states'>): Promise<Readonly<Record<string, string>>> {
  const states = await canaries.states().catch((): readonly CanaryRecord[] => []);
  const entries = [...Map.groupBy(states, ({ platform }) => platform)].map(([platform, own]) => {
    const counts = (['drifted', 'failed'] as const)
      .map((verdict) => ({ verdict, count: own.filter((one) => one.verdict === verdict).length }))
      .filter(({ count }) => count > 0)
      .map(({ verdict, count }) => `${count} ${verdict}`);
    return [`${platform}-canaries`, counts.length === 0 ? 'ok' : `${counts.join(', ')} of ${own.length}`] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * One entry for each platform on which brands have connected accounts, named `<platform>-connections`; `ok`, or how many have to be
 * connected again. It does not make the instance unready: posts are read as those of strangers then. Never rejects.
 */
export async function reportConnections({
  brandConnections,
}: Pick<Storage, 'brandConnections'>): Promise<Readonly<Record<string, string>>> {
  const counts = await brandConnections.count().catch(() => []);
  const entries = [...Map.groupBy(counts, ({ platform }) => platform)].map(([platform, own]) => {
    const lost = own.filter(({ status }) => status !== 'active').map(({ status, count }) => `${count} ${status}`);
    return [`${platform}-connections`, lost.length === 0 ? 'ok' : `to be connected again: ${lost.join(', ')}`] as const;
  });
  return Object.fromEntries(entries);
}
