/** What `/readyz` and `/metrics` say about canaries, connections of brands, and about logged-in sessions: never a session id. */
import { createRegistry } from '../../adapters/telemetry/prometheus.ts';
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { Canaries } from '../../core/canaries/index.ts';
import type { Platforms } from '../../core/platforms/platforms.ts';
import type { SessionStatus } from '../../core/ports/platform.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { SessionFigures } from '../../core/ports/telemetry.ts';

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

/** Every session of every platform. */
export function sessionFigures(platforms: Platforms): readonly SessionFigures[] {
  return [...platforms.readers].flatMap(([platform, { sessionStates }]) =>
    (sessionStates?.() ?? []).map((session) => ({ platform, ...session })),
  );
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

/** Gauges in the text format of Prometheus: the account with the data provider, as this process knows it. */
export function creditFigures(platforms: Platforms): string {
  const registry = createRegistry();
  const left = registry.gauge('credence_data_provider_credits_left', 'What the last answer said is left.');
  const spent = registry.gauge('credence_data_provider_credits_spent', 'Credits of all processes since midnight UTC.');
  const limit = registry.gauge('credence_data_provider_credits_daily', 'The most credits of a day.');
  for (const [platform, { credits }] of platforms.readers) {
    const figures = credits?.() ?? null;
    if (figures === null) continue;
    if (figures.left !== null) left.set({ platform }, figures.left);
    if (figures.daily === null) continue;
    spent.set({ platform }, figures.daily.spent);
    limit.set({ platform }, figures.daily.limit);
  }
  return registry.text();
}

/** A gauge in the text format of Prometheus. */
export async function connectionFigures({ brandConnections }: Pick<Storage, 'brandConnections'>): Promise<string> {
  const registry = createRegistry();
  const gauge = registry.gauge('credence_brand_connections', 'Connected accounts of brands, by platform and status.');
  for (const { platform, status, count } of await brandConnections.count()) gauge.set({ platform, status }, count);
  return registry.text();
}
