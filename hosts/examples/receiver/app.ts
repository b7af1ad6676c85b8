/** Receives webhooks, without a framework. In an application, `webhookExpress`, `webhookFastify` and `webhookFetch` are mounted. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookExpress } from '@credence/client/webhooks';

const { PORT = '4000', WEBHOOK_SECRET = '' } = process.env;
const seen = new Set<string>(); // a table in your own database

const receive = webhookExpress(WEBHOOK_SECRET, async ({ event, data, messageId }) => {
  if (messageId === null || seen.has(messageId)) return; // an event can come twice
  seen.add(messageId);
  console.log(event, JSON.stringify(data));
});

const server = createServer((request, response) =>
  receive(request, response, (error) => {
    console.error(error);
    response.writeHead(500).end(); // Credence sends it again
  }),
);
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://localhost:${(server.address() as AddressInfo).port}`);
});
