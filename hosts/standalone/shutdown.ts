/** Graceful shutdown on SIGTERM and SIGINT; a second signal, seconds later, or 30 s end the process at once. */
import type { Logger } from '../../core/ports/logger.ts';

const GRACE_MS = 30_000;
/**
 * Until then a signal is the first one again: systemd sends it to npx and to the host, which then notices that npx is gone. Who presses
 * Ctrl-C again means it.
 */
const ONE_SIGNAL_MS = { SIGTERM: 2_000, SIGINT: 300 };

export interface Shutdown {
  /** True once a signal came: `close` is under way, and ends the process. */
  begun(): boolean;
}

export function onShutdown(logger: Logger, close: () => Promise<void>): Shutdown {
  let begun: number | undefined;
  const stop = (signal: keyof typeof ONE_SIGNAL_MS) => {
    if (begun !== undefined) {
      if (performance.now() - begun > ONE_SIGNAL_MS[signal]) process.exit(1);
      return;
    }
    begun = performance.now();
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    close().then(
      () => process.exit(0),
      (err: unknown) => {
        logger.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { begun: () => begun !== undefined };
}
