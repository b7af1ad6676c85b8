/** The brand's side: a webhook receiver that fails when told to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebhookEvent, webhookExpress } from '@credence/client/webhooks';

export interface Receiver {
  readonly url: string;
  /** Set as soon as the webhook is registered. */
  secret: string;
  /** How many of the next events are answered with 500. */
  failNext: number;
  readonly accepted: WebhookEvent[];
  readonly refused: WebhookEvent[];
  /** Requests whose signature does not hold. */
  forged: number;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const receive = webhookExpress(receiver.secret, (event) => {
      if (receiver.failNext === 0) return receiver.accepted.push(event);
      receiver.failNext -= 1;
      receiver.refused.push(event);
      throw new Error('It fails on purpose.');
    });
    response.once('finish', () => {
      if (response.statusCode === 401) receiver.forged += 1;
    });
    receive(request, response, () => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    secret: '',
    failNext: 0,
    accepted: [],
    refused: [],
    forged: 0,
    close: () => server[Symbol.asyncDispose](),
  };
  return receiver;
}
