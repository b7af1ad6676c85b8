/** What a program does when nobody reads its output any more, as behind `| head`. */

/** Keeps the program from dying of it with a stack trace. */
export function outliveReaders(onGone: () => void = () => undefined): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      onGone();
    });
  }
}
