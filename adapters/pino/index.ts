/** pino behind the Logger port, with everything that may hold a secret redacted. */
import { createRequire } from 'node:module';
import type { pino as createPino, DestinationStream } from 'pino';
import type { Logger } from '../../core/ports/logger.ts';

/** A logger is made in one step, and a host with a logger of its own does without this one's library: so not by `import`. */
const load = createRequire(import.meta.url);

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'sealedSecret',
  'password',
  'apiKey',
  'adminToken',
  'sessionIds',
  'sessionid',
  'proxyUrl',
  'x-service-signature',
  'webhook-signature',
];

/**
 * Logs JSON lines to `destination`.
 *
 * @param level the least severe one that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent`
 */
export function createPinoLogger(level: string, destination: DestinationStream): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => {
    const key = field.includes('-') ? `["${field}"]` : `.${field}`;
    return [field.includes('-') ? `["${field}"]` : field, `*${key}`, `*.*${key}`, `*.*.*${key}`];
  });
  const { pino } = load('pino') as { readonly pino: typeof createPino };
  return pino({ level, base: undefined, redact: { paths, censor: '[redacted]' } }, destination);
}
