/** Where the log lines of a host go: gathered for a moment, since a write for each takes longer than making the line. */
import { loadPackage } from '../../adapters/package-loader/index.ts';

/** How long a line waits for others. */
const GATHER_MS = 100;
/** Characters that are written without waiting. */
const GATHER_LENGTH = 65_536;

export interface LogLines {
  write(line: string): void;
  /** Writes at once what is gathered: before a process ends. */
  flushSync(): void;
}

/**
 * Opens a destination of log lines. They are written beside the work, in order. What waits when the process exits or crashes is
 * written then; a process that is killed loses it.
 * @param dest a file descriptor or a path
 */
export function gatherLines(dest: number | string): LogLines {
  // Fastify brings it, and no host runs without Fastify.
  const { pino } = loadPackage('pino', 'The host');
  const file = pino.destination({ dest, sync: false });
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;

  function taken(): string {
    clearTimeout(timer);
    timer = undefined;
    const text = gathered;
    gathered = '';
    return text;
  }
  const write = () => void file.write(taken());

  function flushSync(): void {
    file.flushSync();
    const text = taken();
    if (text !== '') pino.destination({ dest, sync: true }).write(text);
  }
  process.on('exit', flushSync);

  return {
    write(line) {
      gathered += line;
      if (gathered.length >= GATHER_LENGTH) write();
      else timer ??= setTimeout(write, GATHER_MS).unref();
    },
    flushSync,
  };
}
