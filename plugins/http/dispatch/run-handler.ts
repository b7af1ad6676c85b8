/** Fourth step: takes from the row's limits, runs its handler and encodes the reply. */
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { encoderOf } from '../encode-reply.ts';
import { consumeLimits } from '../limits.ts';
import type { Reply, Route } from '../route.ts';
import type { AnyInput } from './receive-input.ts';

/**
 * Returns the handler's reply as it is sent: only what the schema of its status names, with the headers of the limits.
 * @throws LimitExceeded before the handler runs, and what the handler throws
 */
export async function runHandler(route: Route, input: AnyInput, limiter: RateLimiter): Promise<Reply> {
  const limitHeaders = route.limits ? await consumeLimits(limiter, route.limits(input)) : undefined;
  const reply = await route.handle(input);
  const headers = { ...limitHeaders, ...reply.headers };
  const schema = route.responses[reply.status]?.schema;
  if (reply.rows !== undefined) return { ...reply, headers };
  const body = schema === undefined ? reply.body : encoderOf(schema)(reply.body);
  return { ...reply, body, headers };
}
