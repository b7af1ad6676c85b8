/** What a token has used (docs/specification/engagement.md#data-lookups; web proofs are counted too). */
import { z } from 'zod';
import type { UsageMeter } from '../../../core/access/usage.ts';
import { callerKey } from '../access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, timestamp } from '../schemas.ts';

const usageReport = dataOf(
  z.object({
    period: z.object({ from: timestamp, to: timestamp }),
    batch: z.object({ billableUnits: z.int(), requests: z.int() }),
    lookups: z.object({ requests: z.int() }),
    webProofs: z.object({ proofs: z.int(), verifications: z.int(), compressions: z.int() }),
  }),
).meta({ id: 'Usage' });

export function createUsageRoutes(usage: UsageMeter) {
  return [
    defineRoute('readUsage', 'GET /auth/usage', {
      tag: 'Tokens',
      summary: "What the caller's token used this month (UTC)",
      access: 'token',
      brand: 'any',
      responses: { 200: { description: 'The counters.', schema: usageReport } },
      handle: async ({ caller }) => {
        const { from, to, counts } = await usage.current(callerKey(caller));
        return reply(200, {
          data: {
            period: { from, to },
            batch: { billableUnits: counts.batchBillableUnits, requests: counts.batchRequests },
            lookups: { requests: counts.lookups },
            webProofs: {
              proofs: counts.proofs,
              verifications: counts.verifications,
              compressions: counts.compressions,
            },
          },
        });
      },
    }),
  ];
}
