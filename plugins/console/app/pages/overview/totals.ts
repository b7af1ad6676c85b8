/** How many there are of what an operator asks for first. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../session.tsx';

const ONE = { page: 1, limit: 1 } as const;

export interface Totals {
  readonly campaigns?: number;
  readonly running?: number;
  readonly creators?: number;
}

export function useTotals(): Totals {
  const client = useClient();
  const { data = {} } = useQuery({
    queryKey: ['totals'],
    queryFn: async ({ signal }): Promise<Totals> => {
      const [campaigns, running, creators] = await Promise.all([
        client.campaigns.list(ONE, { signal }),
        client.campaigns.list({ ...ONE, state: 'running' }, { signal }),
        client.creators.list(ONE, { signal }),
      ]);
      return {
        campaigns: campaigns.pagination.total,
        running: running.pagination.total,
        creators: creators.pagination.total,
      };
    },
  });
  return data;
}
