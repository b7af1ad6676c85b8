/** A process that asks for `count` times `units` at once when told to, and reports the decisions. */
import { createRedisRateLimiter } from '../../../adapters/redis-rate-limiter/index.ts';

const [url = '', key = '', count = '0', units = '0'] = process.argv.slice(2);
const limiter = createRedisRateLimiter({ url });
const rule = { name: 'shared', units: 30, windowSeconds: 60 };

process.once('message', async () => {
  const asked = Array.from({ length: Number(count) }, () => limiter.consume(rule, key, Number(units)));
  process.send?.(await Promise.all(asked));
  await limiter.close();
  process.disconnect();
});
// Connected before the start, so that all begin together.
await limiter.consume(rule, `warm-up-${process.pid}`, 1);
process.send?.('ready');
