/** Health and figures of the instance. They are no operations of the client. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session.tsx';
import { ask, every } from './connection.tsx';

const EVERY_MS = 5_000;

export interface Health {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** What `/readyz` says, whether it is ready or not. */
export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }): Promise<Health> => {
      const response = await ask('readyz', { signal });
      const health: Partial<Health> | null = await response.json().catch(() => null);
      // A proxy may answer in place of the instance.
      if (typeof health?.checks !== 'object') throw new Error(`/readyz answered with status ${response.status} only.`);
      return health as Health;
    },
    refetchInterval: every(EVERY_MS),
  });
}

const JOBS = /^credence_jobs\{state="(\w+)"\} (\d+)$/gm;

/** How many jobs there are, by state: with every queue, `/metrics` tells it. */
export function useJobCounts() {
  const { headers } = useSession();
  return useQuery({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) => {
      const response = await ask('metrics', { signal, headers });
      if (!response.ok) throw new Error(`/metrics answered with status ${response.status}.`);
      const found = (await response.text()).matchAll(JOBS);
      return Array.from(found, ([, state = '', count]) => ({ state, count: Number(count) }));
    },
    refetchInterval: every(EVERY_MS),
  });
}
