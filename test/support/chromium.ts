/** A real browser: Debian's headless Chromium, if the machine has one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The program, or undefined: then its tests are skipped, unless `CREDENCE_REQUIRE_CHROMIUM` says that they must run. */
export function findChromium(): string | undefined {
  const found = NAMES.find((name) => spawnSync(name, ['--version']).status === 0);
  if (found !== undefined) return found;
  if (process.env.CREDENCE_REQUIRE_CHROMIUM)
    throw new Error('CREDENCE_REQUIRE_CHROMIUM is set, but there is no Chromium.');
  const line = '='.repeat(100);
  console.warn(`${line}\n  NO CHROMIUM: the tests in a browser are SKIPPED. Install chromium-headless-shell.\n${line}`);
  return undefined;
}

/** Starts the program that `findChromium` found, to be driven by Playwright. */
export function launchChromium(program: string): Promise<Browser> {
  const executablePath = spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).stdout.trim();
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

const PAGE = `<!doctype html><script src="/bundle.js"></script><script type="module">
  async function answer() {
    const { expression, given } = await (await fetch('/question')).json();
    return new Function('given', 'return ' + expression)(given);
  }
  const body = JSON.stringify(await answer().catch((error) => ({ failed: String(error?.stack ?? error) })));
  await fetch('/answer', { method: 'POST', body });
</script>`;

/**
 * Loads a script in the browser, then evaluates an expression about its exports (`bundle`) and `given`.
 * @param api the URL of a server that the page finds at its own origin, under `/api`
 * @throws Error with what the browser wrote if it ends without an answer
 */
export async function runInChromium(
  program: string,
  script: string,
  expression: string,
  given: unknown,
  api?: string,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const server = createServer(async (request, response) => {
    if (api !== undefined && request.url?.startsWith('/api/')) return pass(request, response, api);
    const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
      '/': ['text/html', PAGE],
      '/bundle.js': ['text/javascript', script],
      '/question': ['application/json', JSON.stringify({ expression, given })],
    };
    const [type = 'text/plain', file = ''] = files[request.url ?? ''] ?? [];
    if (request.method === 'GET') return void response.setHeader('content-type', type).end(file);
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    response.end();
    resolve(JSON.parse(text));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const profile = await mkdtemp(join(tmpdir(), 'credence-chromium-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const child = spawn(program, [
    ...flags,
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    `http://127.0.0.1:${port}/`,
  ]);
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  exited.then(([code]) => reject(new Error(`The browser ended with ${code}:\n${stderr}`)), reject);
  try {
    return await promise;
  } finally {
    child.kill('SIGKILL');
    await exited;
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Hands a request to the server behind `/api`, as a reverse proxy does. */
function pass(request: IncomingMessage, response: ServerResponse, api: string): void {
  const { method, headers, url = '' } = request;
  const onward = forward(`${api}${url.slice('/api'.length)}`, { method, headers }, (answer) => {
    answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
  });
  request.pipe(onward.on('error', (error) => response.destroy(error)));
}
