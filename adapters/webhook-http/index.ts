/** Sends webhooks over HTTP. The HTTP client is loaded by the first delivery. */
import { z } from 'zod';
import { late } from '../../core/late.ts';
import type { EgressGuard } from '../../core/ports/egress.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';

const optionsSchema = z.strictObject({
  /** Connections to one origin; a request beyond them waits, and its time runs meanwhile. */
  connectionsPerOrigin: z.int().min(1).max(256).default(48),
  /** PEM roots to trust instead of Node's own. */
  ca: z.array(z.string()).optional(),
});

export type WebhookHttpOptions = z.input<typeof optionsSchema> & { readonly egress: EgressGuard };
export type WebhookHttpSettings = z.output<typeof optionsSchema>;

/**
 * Every connection goes through the egress guard, redirects are never followed, the answer's body is thrown away unread beyond
 * 64 KiB, and one deadline covers everything.
 * @throws ZodError for options out of range
 */
export function createWebhookTransport({ egress, ...rest }: WebhookHttpOptions): WebhookTransport {
  const settings = optionsSchema.parse(rest);
  const transport = late(async () => (await import('./undici-transport.ts')).createUndiciTransport(egress, settings));
  return {
    send: async (request) => (await transport()).send(request),
    close: async () => (await transport.ifMade())?.close(),
  };
}
