/** A progress bar in one line of the terminal. */

/** Draws over the line before; null ends the line. */
export type ShowProgress = (text: string | null) => void;

export interface Progress {
  /** How much is done. */
  at(done: number, note?: string): void;
  /** Removes the bar. */
  end(): void;
}

const WIDTH = 24;
const DRAW_EVERY_MS = 100;

/** @param show nothing is drawn without it: the output is no terminal. @param total null if it is not known */
export function createProgress(show: ShowProgress | undefined, total: number | null): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    at(done, note = '') {
      const now = performance.now();
      if (show === undefined || (now - drawnAt < DRAW_EVERY_MS && done !== total)) return;
      drawnAt = now;
      if (total === null) return show(`${done} ${note}`.trimEnd());
      const share = total === 0 ? 1 : Math.min(done / total, 1);
      const full = Math.round(share * WIDTH);
      const bar = `${'='.repeat(full)}${' '.repeat(WIDTH - full)}`;
      show(`[${bar}] ${Math.floor(share * 100)} %  ${done} of ${total} ${note}`.trimEnd());
    },
    end: () => show?.(null),
  };
}
