import { z } from 'zod';

export const optionsSchema = z.strictObject({
  /** Connections to one origin; a request beyond them waits, and its time runs meanwhile. @default 256 */
  connectionsPerOrigin: z.int().min(1).max(256).default(256),
  /** PEM roots to trust instead of Node's own. */
  ca: z.array(z.string()).optional(),
});

export type WebhookHttpInput = z.input<typeof optionsSchema>;
export type WebhookHttpSettings = z.output<typeof optionsSchema>;
