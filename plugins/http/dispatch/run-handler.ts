/** Third step: takes from the row's limits, runs its handler and encodes the reply. */
import type { Audit } from '../../../core/access/audit.ts';
import type { RequireOwn } from '../../../core/engagement/brands/own-brand.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { audited } from '../audit.ts';
import { checkBrandAccess } from '../brand-access.ts';
import { encoderOf } from '../encode-reply.ts';
import { giveBackRefused, proofUses, takeLimits } from '../limits.ts';
import type { Reply } from '../route.ts';
import type { Exchange } from './exchange.ts';

export interface HandlerDeps {
  readonly limiter: RateLimiter;
  readonly requireOwn: RequireOwn;
  readonly audit?: Audit | undefined;
}

/**
 * Returns the handler's reply as it is sent: only what the schema of its status names.
 * @throws before the handler runs: `NOT_FOUND` for what belongs to another brand than the caller's, then what `checkInput` of the row
 * throws, then LimitExceeded. After that, what the handler throws
 */
export async function runHandler(exchange: Exchange, { limiter, requireOwn, audit }: HandlerDeps): Promise<Reply> {
  const { route } = exchange;
  const check = checkBrandAccess(route, exchange, requireOwn);
  if (check !== undefined) await check;
  if (route.checkInput !== undefined) await route.checkInput(exchange);
  const uses = [...proofUses(route, exchange.caller), ...(route.limits?.(exchange) ?? [])];
  await takeLimits(limiter, uses, exchange.taken);
  let reply: Reply;
  try {
    reply = await audited(route, exchange, audit, () => route.handle(exchange));
  } catch (error) {
    exchange.taken = await giveBackRefused(exchange.taken, error, limiter);
    throw error;
  }
  const schema = route.responses[reply.status]?.schema;
  if (schema === undefined || reply.rows !== undefined) return reply;
  return { ...reply, body: encoderOf(schema)(reply.body) };
}
