/** The log of a host: JSON lines on stderr, since stdout belongs to the ready line. */
import { pino } from 'pino';
import { createJsonLogger, type LogLevel } from '../../adapters/json-logger/index.ts';
import type { Logger } from '../../core/ports/logger.ts';

/**
 * Makes the logger of a host.
 * @param level the least severe one that is logged
 * @param dest a file descriptor or a path
 */
export function createLogger(level: LogLevel, dest: number | string = 2): Logger {
  // Fastify brings it, and no host runs without Fastify. Unlike `process.stderr` it loses no line of a process that crashes.
  return createJsonLogger(level, pino.destination({ dest, sync: true }));
}
