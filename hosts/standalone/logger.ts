/** The log of a host: JSON lines on stderr, since stdout belongs to the ready line. */
import { pino } from 'pino';
import { createPinoLogger } from '../../adapters/pino/index.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** Lines are written beside the work; those of a crash are flushed. */
export function createLogger(level: string): Logger {
  return createPinoLogger(level, pino.destination({ fd: 2, sync: false }));
}
