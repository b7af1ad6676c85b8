import { createBodyCollector, createReceiver, TOO_LARGE, type WebhookAnswer, type WebhookHandler } from './receive.ts';
import type { VerifyWebhookOptions, WebhookSecret } from './verify-webhook.ts';

/** What is read of a request of Express 4 or 5, or of Node.js. */
export interface NodeWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded: boolean;
  /** Whether anything has been read of the body. */
  readonly readableDidRead?: boolean;
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  /** What a parser of the host made of the body. */
  readonly body?: unknown;
  /** The bytes that some hosts keep beside the parsed body (NestJS: `rawBody: true`). */
  readonly rawBody?: unknown;
}

/** What is used of a response of Express 4 or 5, or of Node.js. */
export interface NodeWebhookResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

/**
 * The route handler of a receiver on Express 4 or 5:
 *
 *     app.post('/webhooks/credence', webhookExpress(secret, async (event) => { … }));
 *
 * It reads the body itself, or takes the bytes of `express.raw()` or `request.rawBody`. Mount it before `express.json()`:
 * a parsed body has lost the bytes that the signature covers. Errors of `handler` go to `next`.
 *
 * @throws WebhookVerificationError `INVALID_SECRET` at once
 */
export function webhookExpress(secret: WebhookSecret, handler: WebhookHandler, options: VerifyWebhookOptions = {}) {
  const receive = createReceiver(secret, handler, options);
  const answer = async (request: NodeWebhookRequest): Promise<WebhookAnswer> => {
    const body = await bodyOf(request);
    return body === TOO_LARGE ? TOO_LARGE : receive(body, request.headers);
  };
  return (request: NodeWebhookRequest, response: NodeWebhookResponse, next: (error?: unknown) => void): void => {
    answer(request).then((answered) => send(response, answered), next);
  };
}

function send(response: NodeWebhookResponse, { status, body }: WebhookAnswer): void {
  response.statusCode = status;
  if (status === TOO_LARGE.status) response.setHeader('connection', 'close');
  if (body !== undefined) response.setHeader('content-type', 'application/json');
  response.end(body);
}

/** What a parser has made of it is returned as it is, for `verifyWebhook` to refuse. */
async function bodyOf(request: NodeWebhookRequest): Promise<unknown> {
  // Parsers of Express 4 make `{}` of a body of another type, and leave its bytes unread.
  const isUnread = request.readableDidRead === false && isEmptyObject(request.body);
  const known = request.rawBody ?? (isUnread ? undefined : request.body);
  // Something else has read the stream: nothing is left of it.
  if (known !== undefined || request.readableEnded) return known;
  return readStream(request);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function readStream(request: NodeWebhookRequest): Promise<Uint8Array | typeof TOO_LARGE> {
  const collected = createBodyCollector();
  return new Promise((resolve, reject) => {
    request.on('data', (piece) => {
      if (collected.add(piece)) return;
      request.pause();
      resolve(TOO_LARGE);
    });
    request.on('end', () => resolve(collected.bytes()));
    request.on('error', reject);
    request.on('close', () => reject(new Error('The sender closed the connection before the whole body was there.')));
  });
}
