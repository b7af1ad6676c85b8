/** pino behind the Logger port, with everything that may hold a secret redacted. */
import { createRequire } from 'node:module';
import type { pino as createPino, DestinationStream } from 'pino';
import type { Logger } from '../../core/ports/logger.ts';
import { createRedaction } from './redact.ts';

/** A logger is made in one step, and a host with a logger of its own does without this one's library: so not by `import`. */
const load = createRequire(import.meta.url);

/**
 * Logs JSON lines to `destination`. Fields with the names of secrets are redacted at any depth; a line whose fields cannot be
 * read keeps its message.
 *
 * @param level the least severe one that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent`
 */
export function createPinoLogger(level: string, destination: DestinationStream): Logger {
  const { pino } = load('pino') as { readonly pino: typeof createPino };
  const redact = createRedaction(pino.stdSerializers.err);
  const log = (fields: object): Record<string, unknown> => {
    try {
      return { ...redact(fields) };
    } catch {
      return { fields: '[unreadable]' };
    }
  };
  // The redaction describes errors: nothing is left to do for pino's own serializer of them.
  const serializers = { err: (error: unknown) => error };
  return pino({ level, base: undefined, formatters: { log }, serializers }, destination);
}
