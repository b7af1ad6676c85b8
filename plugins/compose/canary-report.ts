/** What `/readyz` and `/metrics` say about canaries. */
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { Canaries } from '../../core/canaries/index.ts';

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
