/** Secrets of webhooks, opened once and then remembered: a webhook that gets many events need not open it for each. */
import type { SecretBox } from '../../ports/secret-box.ts';
import { WEBHOOK_SECRET_CONTEXT } from './secret.ts';

/** How many are remembered, those used last. They are small; the key that opens them is in memory as well. */
const MAX_OPENED = 1_000;

/** @returns what opens a sealed secret. It throws what the box throws, and remembers no failure. */
export function createOpenedSecrets(box: SecretBox, max = MAX_OPENED): (sealed: string) => string {
  const opened = new Map<string, string>();
  return (sealed) => {
    const secret = opened.get(sealed) ?? box.open(sealed, WEBHOOK_SECRET_CONTEXT);
    // A map keeps the order of insertion: what was used last stands last.
    opened.delete(sealed);
    opened.set(sealed, secret);
    for (const [oldest] of opened) {
      if (opened.size <= max) break;
      opened.delete(oldest);
    }
    return secret;
  };
}
