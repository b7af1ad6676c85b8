/** The Redis client that Bottleneck is given, with what Bottleneck 2 does not know of today's servers and clients put right. */
import type { RedisOptions } from 'ioredis';
import { Redis } from './client.ts';
import { reconnecting } from './options.ts';

const COMMAND_TIMEOUT_MS = 2_000;

/** Connects at once. */
export function createPaceClient(url: string): Redis {
  return new PaceClient(url, { ...reconnecting(), commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 });
}

type ScriptCallback = (error: Error | null | undefined, reply?: unknown) => void;

class PaceClient extends Redis {
  /** Bottleneck duplicates the client to listen on. What it listens to must outlast an outage, so that one waits. */
  override duplicate(override?: Partial<RedisOptions>): Redis {
    const listener = super.duplicate({ ...override, commandTimeout: undefined, maxRetriesPerRequest: null });
    const subscribe = listener.subscribe.bind(listener) as (...channels: string[]) => Promise<unknown>;
    // After a reconnection ioredis listens again and leaves the answer to nobody. A refusal of a client that is being closed
    // just then would end the process.
    Reflect.set(listener, 'subscribe', (...channels: string[]) => {
      const subscribed = subscribe(...channels);
      subscribed.catch(() => undefined);
      return subscribed;
    });
    return listener;
  }

  /**
   * Bottleneck recovers from lost keys and forgotten clients by the text of its scripts' errors. Redis 7 puts a code in front
   * of it; without this, a limiter whose keys are gone (a restart, a flush) would fail forever.
   */
  override defineCommand(...definition: Parameters<Redis['defineCommand']>): void {
    super.defineCommand(...definition);
    const [name] = definition;
    const run = Reflect.get(this, name) as (...values: unknown[]) => unknown;
    Reflect.set(this, name, (...values: unknown[]) => {
      const callback = values.pop() as ScriptCallback;
      return run.call(this, ...values, (error: Error | null | undefined, reply: unknown) =>
        callback(withoutCode(error), reply),
      );
    });
  }
}

function withoutCode(error: Error | null | undefined): Error | null | undefined {
  const text = /^ERR (SETTINGS_KEY_NOT_FOUND|UNKNOWN_CLIENT)$/.exec(error?.message ?? '')?.[1];
  return text === undefined ? error : new Error(text, { cause: error });
}
