/** Gauges in the text format of Prometheus, which `/metrics` shows behind what telemetry has counted. */
import { createRegistry, type Registry } from '../../adapters/telemetry/prometheus.ts';
import type { JobQueue } from '../../core/ports/job-queue.ts';
import type { Parts } from './tokens.ts';

/** Makes the text of what `fill` registers, afresh for each reader. */
const figures = (fill: (registry: Registry) => Promise<void>) => async () => {
  const registry = createRegistry();
  await fill(registry);
  return registry.text();
};

/** What all processes have to do; without numbers if the queue cannot be asked. */
export const jobFigures = ({ queue }: { readonly queue: Pick<JobQueue, 'stats'> }) =>
  figures(async ({ gauge }) => {
    const jobs = gauge('credence_jobs', 'Jobs in the queue that all processes share.');
    const stats = await queue.stats().catch(() => ({}));
    for (const [state, count] of Object.entries(stats)) jobs.set({ state }, count);
  });

/** What all processes know of canaries from the storage. */
export const canaryFigures = ({ canaries }: Parts<'canaries'>) =>
  figures(async (registry) => {
    const gauge = (name: string, help: string) => registry.gauge(`credence_canary_${name}`, help);
    const up = gauge('up', '1 if the last reading of the canary was as before, 0 if it drifted or failed.');
    const missing = gauge('missing_fields', 'Fields that earlier readings had and the last one lacks.');
    const read = gauge('last_read_timestamp_seconds', 'When the canary was read last.');
    const success = gauge('last_success_timestamp_seconds', 'When a reading was last as before.');
    const duration = gauge('read_duration_seconds', 'How long the last reading took.');
    for (const one of await canaries.states().catch(() => [])) {
      const labels = { platform: one.platform, canary: one.target };
      up.set(labels, one.verdict === 'ok' ? 1 : 0);
      missing.set(labels, one.missing.length);
      read.set(labels, one.readAt.getTime() / 1_000);
      if (one.lastOkAt !== null) success.set(labels, one.lastOkAt.getTime() / 1_000);
      duration.set(labels, one.durationMs / 1_000);
    }
  });

/** What this process knows of the sessions that platforms are read with, by place in the list, and of the account with the data provider. */
export const platformFigures = ({ platforms }: Parts<'platforms'>) =>
  figures(async ({ gauge }) => {
    const up = gauge(
      'credence_platform_session_up',
      '1 if the session is in use or rests, 0 if it is logged out or has to pass a check.',
    );
    const away = gauge('credence_platform_session_sent_away', '1 for each endpoint that sends the session away.');
    const left = gauge('credence_data_provider_credits_left', 'What the last answer said is left.');
    const spent = gauge('credence_data_provider_credits_spent', 'Credits of all processes since midnight UTC.');
    const limit = gauge('credence_data_provider_credits_daily', 'The most credits of a day.');
    for (const [platform, { sessionStates, credits }] of platforms.readers) {
      for (const { label: session, state, sentAwayFrom = [] } of sessionStates?.() ?? []) {
        up.set({ platform, session }, state === 'active' || state === 'resting' ? 1 : 0);
        for (const endpoint of sentAwayFrom) away.set({ platform, session, endpoint }, 1);
      }
      const known = credits?.() ?? null;
      if (known === null) continue;
      if (known.left !== null) left.set({ platform }, known.left);
      if (known.daily === null) continue;
      spent.set({ platform }, known.daily.spent);
      limit.set({ platform }, known.daily.limit);
    }
  });

export const connectionFigures = ({ storage: { brandConnections } }: Parts<'storage'>) =>
  figures(async ({ gauge }) => {
    const connections = gauge('credence_brand_connections', 'Connected accounts of brands, by platform and status.');
    for (const { platform, status, count } of await brandConnections.count()) {
      connections.set({ platform, status }, count);
    }
  });
