/** A `Logger` that writes JSON lines with the fields and levels of pino, and nothing that may hold a secret. */
import type { Logger } from '../../core/ports/logger.ts';
import { printable } from '../../core/printable.ts';
import { redact } from './redact.ts';

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Number.POSITIVE_INFINITY };

/** The least severe line that is logged. */
export type LogLevel = keyof typeof LEVELS;

/**
 * Logs JSON lines to `destination`. Fields with the names of secrets are redacted at any depth; a line whose fields cannot be
 * read keeps its message.
 */
export function createJsonLogger(least: LogLevel, destination: { write(line: string): unknown }): Logger {
  const lineOf = (level: number, fields: object, msg: string): string => {
    const time = Date.now();
    try {
      return JSON.stringify({ level, time, ...redact(fields), msg });
    } catch {
      return JSON.stringify({ level, time, fields: '[unreadable]', msg });
    }
  };
  const at = (level: number) => (fields: object, message: string) => {
    // A log may be read in a terminal: lines stay the same JSON, without what a terminal obeys.
    if (level >= LEVELS[least]) destination.write(`${printable(lineOf(level, fields, message))}\n`);
  };
  return { debug: at(LEVELS.debug), info: at(LEVELS.info), warn: at(LEVELS.warn), error: at(LEVELS.error) };
}
