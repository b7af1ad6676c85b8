/** Answers of platforms from public bug reports, where they lie beside the checkout, served over HTTP in place of the platform. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { listen } from './listen.ts';

const folder = resolve(import.meta.dirname, '../../../shared/samples/platforms/reports');

/** The first rule whose path matches the path of a request answers it. */
interface Rule {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const hasReports = existsSync(folder);

/**
 * `edit` changes the text of each answer before it is sent. What no rule is about, `otherwise` answers: the URL of a server, none by
 * default.
 */
export async function serveReport(name: string, edit = (text: string) => text, otherwise = () => '') {
  const { rules } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as { rules: readonly Rule[] };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://platform.test');
    const rule = rules.find(({ path }) => new RegExp(path).test(pathname));
    if (rule === undefined && otherwise() !== '') {
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(otherwise() + request.url, { headers, redirect: 'manual' });
      const type = answer.headers.get('content-type') ?? 'text/html';
      return response.writeHead(answer.status, { 'content-type': type }).end(await answer.bytes());
    }
    if (rule === undefined) return response.writeHead(404).end();
    const { status, headers, body } = rule;
    return response.writeHead(status, headers).end(edit(typeof body === 'string' ? body : JSON.stringify(body)));
  });
  const { url, close } = await listen(server);
  return { baseUrl: url, close };
}
