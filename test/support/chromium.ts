/** A real browser: Debian's headless Chromium, if the machine has one. */
import { spawnSync } from 'node:child_process';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { listen } from './listen.ts';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

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
 * @throws Error if the browser ends without an answer
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
  await using listening = await listen(server);
  const browser = await launchChromium(program);
  browser.once('disconnected', () => reject(new Error('The browser ended without an answer.')));
  try {
    const page = await browser.newPage();
    await page.goto(`${listening.url}/`);
    return await promise;
  } finally {
    await browser.close();
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
