/** pino behind the Logger port, with everything that may hold a secret redacted. */
import type { DestinationStream } from 'pino';
import type { Logger } from '../../core/ports/logger.ts';
import { printable } from '../../core/printable.ts';
import { loadPackage } from '../package-loader/index.ts';
import { createRedaction } from './redact.ts';

/**
 * Logs JSON lines to `destination`. Fields with the names of secrets are redacted at any depth; a line whose fields cannot be
 * read keeps its message.
 *
 * @param level the least severe one that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent`
 */
export function createPinoLogger(level: string, destination: DestinationStream): Logger {
  // A logger is made in one step, and a host with a logger of its own does without this library: so not by `import`.
  const { pino } = loadPackage('pino', 'The default logger');
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
  return pino(
    // A log may be read in a terminal: lines stay the same JSON, without what a terminal obeys.
    { level, base: undefined, formatters: { log }, serializers, hooks: { streamWrite: printable } },
    destination,
  );
}
