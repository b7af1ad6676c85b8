/** Tests that need a redis-server. */
import { describe, it } from 'vitest';
import { hasRedis } from './redis-server.ts';

export { startRedis, startSentinel, type TestRedis } from './redis-server.ts';

/**
 * A `describe` that needs redis-server. Without it the tests are skipped with a warning; with `CREDENCE_REQUIRE_REDIS=1` they
 * fail.
 */
export function describeWithRedis(name: string, tests: () => void): void {
  if (hasRedis) {
    describe(name, tests);
  } else if (process.env.CREDENCE_REQUIRE_REDIS === '1') {
    it(`${name}: needs redis-server`, () => {
      throw new Error('redis-server is not installed, and CREDENCE_REQUIRE_REDIS=1 asks for it.');
    });
  } else {
    console.warn(`SKIPPED, redis-server is not installed: ${name}`);
    describe.skip(name, tests);
  }
}
