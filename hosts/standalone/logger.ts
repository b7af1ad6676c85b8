/** The log of a host: JSON lines on stderr, since stdout belongs to the ready line. */
import { createJsonLogger, type LogLevel } from '../../adapters/json-logger/index.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { gatherLines } from './log-lines.ts';

/**
 * Makes the logger of a host.
 * @param level the least severe one that is logged
 * @param to a file descriptor or a path
 */
export function createLogger(level: LogLevel, to: number | string = 2): Logger {
  return createJsonLogger(level, gatherLines(to));
}
