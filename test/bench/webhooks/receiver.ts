/** The receiver process of the webhook benchmark: takes every request and says when it has seen all of them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { AllReceived, Expect, ReceiverReady } from './protocol.ts';

let expected = Number.POSITIVE_INFINITY;
let delayMs = 0;
let first = 0;
const seen = new Set<string>();

function take(id: string): void {
  if (seen.size === 0) first = performance.now();
  seen.add(id);
  if (seen.size < expected) return;
  const done: AllReceived = { kind: 'all', milliseconds: performance.now() - first };
  expected = Number.POSITIVE_INFINITY;
  process.send?.(done);
}

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    take(String(request.headers['webhook-id']));
    const answer = () => response.writeHead(204).end();
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
});

process.on('message', (message: Expect) => {
  ({ expected, delayMs } = message);
  seen.clear();
});
process.once('disconnect', () => {
  server.closeAllConnections();
  server.close();
});
server.listen(0, '127.0.0.1', () => {
  const ready: ReceiverReady = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
  process.send?.(ready);
});
