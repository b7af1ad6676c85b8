/**
 * A browser extension with the stock package `tlsn-wasm` 0.1.0-alpha.12, as far as Node.js can be one. Node's own `WebSocket` and `fetch`
 * speak with the notary. A browser reaches a server through a proxy that carries TCP in a WebSocket.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { installBrowserGlobals } from '../../../plugins/blind-notary/engine/browser-globals.ts';
import { SPAWNER_SCRIPT } from '../../../plugins/blind-notary/engine/engine-thread.ts';
import { withRoot } from '../replaced-root.ts';
import type { IssuedCertificate } from '../test-ca.ts';

export interface StockRequest {
  readonly notaryUrl: string;
  readonly token: string | undefined;
  readonly serverName: string;
  /** Of the proxy to the server. */
  readonly proxyUrl: string;
  readonly limits: { readonly maxSentData: number; readonly maxRecvData: number };
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the presentation hides, each once in the request or the response. */
  readonly hidden: readonly string[];
  /** Takes the place of a built-in root. */
  readonly root: Pick<IssuedCertificate, 'der' | 'subject'>;
}

export type StockAnswer =
  | { readonly presentation: Uint8Array; readonly phases: Readonly<Record<string, number>> }
  | { readonly error: string };

const glue = createRequire(import.meta.url).resolve('tlsn-wasm/tlsn_wasm.js');

async function notarize(request: StockRequest): Promise<StockAnswer> {
  const { maxSentData, maxRecvData } = request.limits;
  installBrowserGlobals(glue, SPAWNER_SCRIPT);
  const stock: typeof import('tlsn-wasm') = await import(pathToFileURL(glue).href);
  const program = withRoot(readFileSync(glue.replace('.js', '_bg.wasm')), request.root as IssuedCertificate);
  stock.initSync({ module: program });
  await stock.initialize(undefined, 1);
  const prover = new stock.Prover({
    server_name: request.serverName,
    max_sent_data: maxSentData,
    max_sent_records: undefined,
    max_recv_data_online: undefined,
    max_recv_data: maxRecvData,
    max_recv_records_online: undefined,
    defer_decryption_from_start: undefined,
    network: 'Bandwidth',
    client_auth: undefined,
  });
  const phases: Record<string, number> = {};
  let last = performance.now();
  const lap = (phase: string) => {
    phases[phase] = (performance.now() - last) / 1000;
    last = performance.now();
  };
  await prover.setup(await sessionUrl(request));
  lap('setup');
  const headers = Object.entries(request.headers).map(([name, value]): [string, number[]] => [
    name,
    [...Buffer.from(value)],
  ]);
  const asked = { uri: request.target, method: 'GET', headers: new Map(headers), body: undefined } as const;
  await prover.send_request(request.proxyUrl, asked);
  lap('online');
  const { sent, recv } = prover.transcript();
  const shown = { sent: without(sent, request.hidden), recv: without(recv, request.hidden) };
  const { attestation, secrets } = await prover.notarize(shown);
  lap('notarize');
  const presentation = stock.build_presentation(attestation, secrets, { ...shown, server_identity: true });
  return { presentation: presentation.serialize(), phases };
}

/** As `NotaryServer.sessionUrl` of tlsn-js asks for it. */
async function sessionUrl({ notaryUrl, token, limits }: StockRequest): Promise<string> {
  const answer = await fetch(`${notaryUrl}/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { 'X-API-Key': token }) },
    body: JSON.stringify({ clientType: 'Websocket', ...limits }),
  });
  const body = (await answer.json()) as { readonly sessionId?: string };
  if (body.sessionId === undefined) throw new Error(`no session: ${JSON.stringify(body)}`);
  return `${notaryUrl.replace(/^http/, 'ws')}/notarize?sessionId=${body.sessionId}`;
}

/** The ranges around what is hidden. */
function without(bytes: readonly number[], hidden: readonly string[]): { start: number; end: number }[] {
  const text = Buffer.from(bytes);
  const gaps = hidden
    .map((secret) => ({ start: text.indexOf(secret), end: text.indexOf(secret) + Buffer.byteLength(secret) }))
    .filter(({ start }) => start !== -1)
    .sort((a, b) => a.start - b.start);
  const starts = [0, ...gaps.map(({ end }) => end)];
  return starts.map((start, index) => ({ start, end: gaps[index]?.start ?? text.length }));
}

process.on('message', (request: StockRequest) => {
  notarize(request)
    .catch((error: unknown): StockAnswer => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit(0));
