/** A busy machine may take long over what a test waits for; vitest gives it a second, and `vi.waitFor` has no setting. */
import { vi } from 'vitest';

const PATIENCE_MS = 20_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(callback, { timeout: PATIENCE_MS, ...given });
};
