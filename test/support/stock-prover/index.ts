/** Runs the stock prover of TLSNotary in a process of its own, with a proxy to the server as browsers need one. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { StockAnswer, StockRequest } from './process.ts';

const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url));

/** @param port of the server, on loopback */
export async function notarizeWithStockProver(request: Omit<StockRequest, 'proxyUrl'>, port: number) {
  const proxy = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  proxy.on('connection', (socket) => {
    const stream = createWebSocketStream(socket);
    const server = net.connect(port, '127.0.0.1');
    stream.on('error', () => {}).pipe(server);
    server.on('error', () => {}).pipe(stream);
  });
  await once(proxy, 'listening');
  const proxyUrl = `ws://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const child = fork(SCRIPT, [], { execArgv: ['--conditions=credence-source'], serialization: 'advanced' });
  try {
    const answered = once(child, 'message') as Promise<[StockAnswer]>;
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The stock prover ended with ${code}.`);
    });
    ended.catch(() => {});
    child.send({ ...request, proxyUrl } satisfies StockRequest);
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  } finally {
    child.kill('SIGKILL');
    for (const socket of proxy.clients) socket.terminate();
    proxy.close();
  }
}
