import { z } from 'zod';

export const optionsSchema = z.strictObject({
  /** PEM roots to trust instead of Node's own. */
  ca: z.array(z.string()).optional(),
});

export type WebhookHttpInput = z.input<typeof optionsSchema>;
export type WebhookHttpSettings = z.output<typeof optionsSchema>;
