import { expect } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { errorCodesOf } from '../../../plugins/http/openapi.ts';
import { PAGES } from '../../../plugins/http/route.ts';
import { CALLBACK_SECRET } from '../proof-world.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

export async function service(stage: Stage): Promise<void> {
  const dead = await stage.ok(200, 'listJobs', { query: { state: 'dead' } });
  expect(dead).toEqual({ data: [], pagination: { page: 1, limit: 20, total: 0 } });
  await stage.ok(200, 'listJobs', { query: { state: 'waiting', type: 'read-canary', cursor: '' } });
  await stage.refuse('INVALID_REQUEST', 'listJobs', {});
  await stage.refuse('INVALID_REQUEST', 'listJobs', { query: { state: 'lost' } });
  const retried = await stage.ok(200, 'retryJobs', { params: { job: 'issue-reward' } });
  expect(retried.data).toEqual({ retried: 0, left: 0 });
  await stage.refuse('NOT_FOUND', 'retryJobs', { params: { job: 999_999 } });
  await stage.refuse('INVALID_REQUEST', 'retryJobs', { params: { job: 'unknown' } });
  expect(await stage.ok(200, 'liveness', { as: null })).toEqual({ status: 'ok' });
  expect(await stage.ok(200, 'readiness', { as: null })).toMatchObject({ ready: true });
  const metrics = await stage.send('metrics', {}, false);
  expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(metrics.text).toMatch(/^credence_request_duration_seconds_count\{route="liveness",outcome="200"\} [1-9]/m);
  const settings = await stage.send('listSettings', {}, false);
  expect(settings.json.data).toContainEqual({ field: 'jobs.queue', isSet: true, isSecret: false, value: 'leased' });
  const document = await stage.ok(200, 'openapi', { as: null });
  expect(document.openapi).toMatch(/^3\.1\./);
  const page = await stage.send('docs', { as: null });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  const [, file = ''] = /src="docs\/scripts\/([^"]+)"/.exec(page.text) ?? [];
  const script = await stage.send('docsScript', { as: null, params: { file } });
  expect([script.status, script.headers.get('content-type'), script.headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  expect(script.text.length).toBeGreaterThan(1_000_000);
  const headers = { 'if-none-match': script.headers.get('etag') ?? '' };
  expect(await stage.send('docsScript', { as: null, params: { file }, headers })).toMatchObject({
    status: 304,
    text: '',
  });
  await stage.refuse('NOT_FOUND', 'docsScript', { as: null, params: { file: 'reader-0123456789abcdef.js' } });
  const console = await stage.send('console', { as: null });
  expect([console.status, console.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(console.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']{22,}'; connect-src 'self';/,
  );
  expect(console.text).not.toMatch(/<style|<script>|(?:src|href)="(?:https?:)?\/\//);
  const [, main = ''] = /src="console\/files\/([^"]+)"/.exec(console.text) ?? [];
  const app = await stage.send('consoleFile', { as: null, params: { file: main } });
  expect([app.status, app.headers.get('content-type'), app.headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  const known = { 'if-none-match': app.headers.get('etag') ?? '' };
  expect((await stage.send('consoleFile', { as: null, params: { file: main }, headers: known })).status).toBe(304);
  await stage.refuse('NOT_FOUND', 'consoleFile', { as: null, params: { file: 'main-0.js' } });
  for (const file of ['entry.json', '..%2Fentry.json', 'LICENSES.txt', `${main}.gz`]) {
    await stage.refuse('INVALID_REQUEST', 'consoleFile', { as: null, params: { file } });
  }
  // Sealed, so it differs each time.
  expect(await stage.send('beginConsoleSession', { as: 'client' }, false)).toMatchObject({ status: 204, text: '' });
  await stage.refuse('UNAUTHORIZED', 'beginConsoleSession', { as: null });
  expect(await stage.send('endConsoleSession', { as: null })).toMatchObject({ status: 204, text: '' });
  for (const route of stage.instance.credence.routes.filter(({ tag }) => tag !== PAGES)) {
    expect(document.paths?.[route.path]?.[route.method.toLowerCase()]?.operationId).toBe(route.id);
  }
}

/** Ends the instance: it says so, and continues answering what needs no storage. */
export async function stopped(stage: Stage, { proofs }: ParityWorld): Promise<void> {
  await stage.instance.credence.stop();
  expect(await stage.ok(503, 'readiness', { as: null })).toMatchObject({ ready: false });
  await stage.ok(200, 'liveness', { as: null });
  // The token needs the storage to be looked up, and so do a link and a signed call.
  const token = `crd_${'x'.repeat(43)}`;
  const requestId = 'f'.repeat(48);
  const raw = JSON.stringify({ requestId, presentationJson: await proofs.ownAccount('too.late', 'credence-x') });
  const headers = { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
  for (const route of stage.instance.credence.routes) {
    if (!errorCodesOf(route).includes('SERVICE_UNAVAILABLE')) continue;
    const params = {
      ...Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '1'])),
      requestId,
    };
    const own =
      route.access !== 'callback' ? { as: { token } } : route.checkSender ? { as: null, raw, headers } : { as: null };
    await stage.refuse('SERVICE_UNAVAILABLE', route.id, { params, ...own });
  }
}
