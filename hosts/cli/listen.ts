/** `credence webhooks listen`: a receiver on this machine that registers itself, checks signatures and prints events. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { EVENT_NAMES } from '../../core/engagement/webhooks/outbox.ts';
import { verifyWebhook, WebhookVerificationError } from '../../plugins/client/webhooks/index.ts';
import { createBodyCollector } from '../../plugins/client/webhooks/receive.ts';
import type { Surroundings } from './api-commands.ts';
import { call } from './call.ts';
import { groupOf, type Operation, operationNamed } from './operations.ts';
import { dataOf } from './output.ts';
import { UsageError } from './usage-error.ts';

const ALL_EVENTS = EVENT_NAMES.join(',');

interface ListenOptions {
  readonly port: string;
  readonly publicUrl?: string;
  readonly events: string;
  readonly reply: string;
  readonly json?: boolean;
}

/** Adds `listen` to the group `webhooks`. It ends, and removes its webhook, when `signal` fires. */
export function addListenCommand(
  program: Command,
  operations: readonly Operation[],
  around: Surroundings,
  signal: AbortSignal,
): void {
  groupOf(program, 'webhooks')
    .command('listen')
    .description('receives events on this machine, checks their signatures and prints them until Ctrl-C')
    .argument('<brand-id>')
    .option('--port <number>', 'port on 127.0.0.1; a free one by default', '0')
    .option('--public-url <url>', 'the address under which the instance reaches this machine, of a tunnel for example')
    .option('--events <names>', 'comma separated', ALL_EVENTS)
    .option('--reply <status>', 'the status to answer with, to try retries', '204')
    .addHelpText('after', '\nExample:\n  credence webhooks listen 1 --events reward.issued --reply 503')
    .action(async (brandId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListenOptions>();
      const reply = Number(options.reply);
      if (!/^[2-5]\d\d$/.test(options.reply)) throw new UsageError('--reply takes a status from 200 to 599.');
      if (!/^\d{1,5}$/.test(options.port)) throw new UsageError('--port takes a number from 0 to 65535.');
      const target = await around.target(command);
      let secret = '';
      const server = createServer((request, response) => {
        const collected = createBodyCollector();
        request.on('data', (piece: Buffer) => {
          if (!collected.add(piece)) request.destroy();
        });
        request.on('end', () => {
          response.writeHead(reply).end();
          around.print(described(collected.bytes(), request.headers, secret, options.json === true));
        });
      });
      server.listen(Number(options.port), '127.0.0.1');
      await once(server, 'listening');
      const url = options.publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      try {
        const body = { url, events: options.events.split(','), description: 'credence webhooks listen' };
        const made = await call(target, operationNamed(operations, 'webhooks', 'create'), {
          path: { brandId },
          query: {},
          body,
        });
        const webhook = dataOf(made) as { readonly id: number; readonly secret: string };
        secret = webhook.secret;
        if (options.json !== true) around.print(`Webhook ${webhook.id} sends to ${url}. Ctrl-C removes it.`);
        if (!signal.aborted) await once(signal, 'abort');
        const path = { brandId, webhookId: webhook.id };
        await call(target, operationNamed(operations, 'webhooks', 'delete'), { path, query: {}, body: {} });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
}

function described(
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
  asJson: boolean,
): string {
  try {
    const event = verifyWebhook(body, headers, secret);
    return asJson ? JSON.stringify(event) : `${event.event}  ${JSON.stringify(event.data)}`;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return asJson ? JSON.stringify({ refused: error.code }) : `refused: ${error.message}`;
  }
}
