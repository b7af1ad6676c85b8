/**
 * For receivers of Credence's webhooks, in Node.js, edge runtimes and browsers:
 *
 *     const event = verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
 *
 * `webhookExpress`, `webhookFastify` and `webhookFetch` read the body and answer too. Nothing of Credence itself is loaded.
 */
export { webhookExpress } from './express.ts';
export { webhookFastify } from './fastify.ts';
export { webhookFetch } from './fetch.ts';
export type { WebhookHeaders } from './headers.ts';
export type { WebhookHandler } from './receive.ts';
export { type WebhookErrorCode, WebhookVerificationError } from './verification-error.ts';
export {
  type RawBody,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventName,
  type WebhookSecret,
} from './verify-webhook.ts';
