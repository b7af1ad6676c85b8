/** A logger that keeps what it is told. */
import type { Logger } from '../../core/ports/logger.ts';

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: object;
}

export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[];
  /** Everything that was logged, errors and their causes too, as one text: to look for what must not be there. */
  text(): string;
}

export function createRecordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    text: () =>
      JSON.stringify(lines, (_key, value: unknown) => (value instanceof Error ? describeError(value) : value)),
  };
}

function describeError(error: Error): object {
  return { ...error, name: error.name, message: error.message, stack: error.stack, cause: error.cause };
}
