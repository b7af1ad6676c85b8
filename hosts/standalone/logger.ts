/** The log of a host: JSON lines on stderr, since stdout belongs to the ready line. */
import { openSync, writeSync } from 'node:fs';
import { createJsonLogger, type LogLevel } from '../../adapters/json-logger/index.ts';
import type { Logger } from '../../core/ports/logger.ts';

/** A pipe whose reader is slow is tried again after so long. */
const FULL_PIPE_MS = 10;

/**
 * Makes the logger of a host.
 * @param level the least severe one that is logged
 * @param dest a file descriptor or a path
 */
export function createLogger(level: LogLevel, dest: number | string = 2): Logger {
  const fd = typeof dest === 'number' ? dest : openSync(dest, 'a');
  return createJsonLogger(level, { write: (line) => writeAll(fd, Buffer.from(line)) });
}

/** Unlike a stream, this loses no line of a process that crashes. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Nobody reads the log any more.
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
  }
}
