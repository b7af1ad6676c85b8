/** pino behind the Logger port, with everything that may hold a secret redacted. */
import { type DestinationStream, pino } from 'pino';
import type { Logger } from '../../core/ports/logger.ts';

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
  return pino({ level, base: undefined, redact: { paths, censor: '[redacted]' } }, destination);
}
