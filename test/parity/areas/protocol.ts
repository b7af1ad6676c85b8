import { expect } from 'vitest';
import { sendRaw, type WireRequest } from '../../support/wire.ts';
import { createBrand } from '../fixtures.ts';
import { normaliseHeaders } from '../normalise.ts';
import type { Stage } from '../stage.ts';

const TOO_LARGE = 'x'.repeat(70 * 1024);
const DEEP = '['.repeat(30_000) + ']'.repeat(30_000);

/** The edges of HTTP and JSON: what the two frameworks would treat differently if the mounts let them. */
export async function protocol(stage: Stage): Promise<void> {
  const { baseUrl, adminToken } = stage.instance;
  const authorization = `Bearer ${adminToken}`;
  const json = { 'content-type': 'application/json' };

  async function edge(status: number, what: string, request: WireRequest): Promise<string> {
    const answer = await sendRaw(baseUrl, { ...request, headers: { authorization, ...request.headers } });
    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).toBe(status);
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    stage.note(what, {
      status,
      headers: normaliseHeaders(new Headers(Object.fromEntries(headers))),
      text: answer.text,
    });
    return answer.text;
  }
  const post = (body: string | Uint8Array, headers: Record<string, string> = json): WireRequest => ({
    method: 'POST',
    path: '/admin/brands',
    headers,
    body,
  });

  // Bodies.
  await edge(400, 'half a JSON text', post('{"name":'));
  await edge(400, 'JSON and more', post('{"name":"x","slug":"x"}}'));
  await edge(400, 'an empty body', post(''));
  await edge(400, 'no body', { method: 'POST', path: '/admin/brands' });
  await edge(400, 'an empty body in chunks', { ...post(''), chunked: true });
  await edge(400, 'not UTF-8', post(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])));
  await edge(400, 'deep JSON', post(DEEP));
  await edge(400, 'deep JSON in an unknown field', post(`{"name":"Deep","slug":"edge-deep","more":${DEEP}}`));
  await edge(400, '__proto__ gives no fields', post('{"__proto__":{"name":"x","slug":"edge-proto"}}'));
  await edge(400, '__proto__ is an unknown field', post('{"name":"P","slug":"edge-p","__proto__":{"slug":"other"}}'));
  await edge(201, 'a repeated key: the last one counts', post('{"name":"A","name":"B","slug":"edge-twice"}'));
  await edge(400, 'a lone surrogate and NUL', post('{"name":"\\u0000\\ud800","slug":"edge-nul"}'));
  await edge(415, 'text', post('{}', { 'content-type': 'text/plain' }));
  await edge(415, 'a form', post('name=x&slug=x', { 'content-type': 'application/x-www-form-urlencoded' }));
  await edge(415, 'no content type', post('{"name":"x","slug":"x"}', {}));
  await edge(415, 'a content type that is none', post('{}', { 'content-type': ';;;' }));
  await edge(
    201,
    'a charset',
    post('{"name":"x","slug":"edge-charset"}', { 'content-type': 'Application/JSON; charset=utf-8' }),
  );
  await edge(201, 'a JSON suffix', post('{"name":"x","slug":"edge-suffix"}', { 'content-type': 'application/x+json' }));
  await edge(413, 'too large, announced', post(TOO_LARGE));
  await edge(413, 'too large, in chunks', { ...post(TOO_LARGE), chunked: true });
  await edge(401, 'too large, without a token', { ...post(TOO_LARGE), headers: { ...json, authorization: '' } });
  await edge(400, 'a body where none is asked for', {
    method: 'POST',
    path: '/admin/campaigns/999999/end',
    headers: json,
    body: '{"half":',
  });
  await edge(404, 'a content type without a body', {
    method: 'POST',
    path: '/admin/campaigns/999999/end',
    headers: json,
  });
  for (const type of ['', ';;;']) {
    const headers = { 'content-type': type };
    const end = { method: 'POST', path: '/admin/campaigns/999999/end', headers };
    await edge(404, `the content type "${type}" without a body`, end);
    await edge(415, `the content type "${type}" where no body is asked for`, { ...end, body: '{}' });
    await edge(404, `DELETE with the content type "${type}"`, {
      method: 'DELETE',
      path: '/admin/campaigns/999999',
      headers,
    });
    await edge(404, `an optional body of the content type "${type}" that is missing`, {
      method: 'POST',
      path: '/admin/challenges/999999/attempts/1/redeliver-webhooks',
      headers,
    });
    await edge(401, `the content type "${type}", without a token`, post('{}', { ...headers, authorization: '' }));
  }
  await edge(200, 'GET with a body', { path: '/admin/brands', headers: json, body: '{' });
  await edge(404, 'DELETE with a body', {
    method: 'DELETE',
    path: '/admin/campaigns/999999',
    headers: json,
    body: '{}',
  });

  // Paths.
  for (const path of ['/admin/creators/verify/%zz', '/admin/creators/verify/%E0%A4', '/campaigns/%']) {
    await edge(400, `a malformed escape: ${path}`, { path });
  }
  await edge(400, 'NUL in the path', { path: '/admin/creators/verify/%00' });
  await edge(200, 'a slash in a value', { path: '/admin/creators/verify/a%2Fb' });
  for (const length of [1_000, 3_000, 10_000]) {
    const path = `/admin/creators/verify/${'x'.repeat(length)}`;
    await edge(400, `a value of ${length} characters`, { path });
    await edge(401, `a value of ${length} characters, without a token`, { path, headers: { authorization: '' } });
  }
  for (const path of [
    '/campaigns/',
    '/admin/brands/',
    '/admin/creators/verify/',
    '//admin/brands',
    '/Admin/Brands',
    '/',
  ]) {
    await edge(404, `not a path: ${path}`, { path });
    await edge(404, `not a path, without a token: ${path}`, { path, headers: { authorization: '' } });
  }
  await edge(404, 'an unknown path', { path: '/nowhere?x=1' });
  await edge(404, 'an unknown path, with a body', { method: 'POST', path: '/nowhere', headers: json, body: '{' });

  // Methods.
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY', 'PROPFIND', 'TRACE']) {
    await edge(405, `${method} where it is not`, { method, path: '/admin/brands' });
    await edge(404, `${method} of nothing`, { method, path: '/nowhere' });
  }
  await edge(405, 'QUERY with a body and no type', { method: 'QUERY', path: '/admin/brands', body: '{}' });
  await edge(405, 'QUERY with a body', { method: 'QUERY', path: '/admin/brands', headers: json, body: '{}' });
  const absolute = 'http://127.0.0.1/admin/brands';
  await edge(200, 'an absolute target', { path: absolute });
  await edge(405, 'PUT of an absolute target', { method: 'PUT', path: absolute });
  const noType = { 'content-type': ';;;' };
  await edge(405, 'PUT with a content type that is none', { method: 'PUT', path: '/admin/brands', headers: noType });
  await edge(404, 'an unknown path, with such a type', {
    method: 'POST',
    path: '/nowhere',
    headers: noType,
    body: '{}',
  });
  await edge(405, 'PUT with a body', { method: 'PUT', path: '/admin/brands', headers: json, body: '{}' });
  await edge(200, 'HEAD', { method: 'HEAD', path: '/admin/brands' });
  await edge(401, 'HEAD without a token', { method: 'HEAD', path: '/admin/brands', headers: { authorization: '' } });
  await edge(404, 'HEAD of nothing', { method: 'HEAD', path: '/nowhere' });
  await edge(405, 'HEAD where there is no GET', { method: 'HEAD', path: '/social-accounts/disconnect' });

  // Queries and header fields.
  await createBrand(stage, 'edge-query');
  for (const query of [
    'limit=1&limit=2',
    'limit=1&__proto__=2',
    'limit=1&limit[]=2',
    'limit=1&%',
    'limit=%31',
    '&&limit=1',
  ]) {
    const text = await edge(200, `query ${query}`, { path: `/campaigns?${query}` });
    expect(JSON.parse(text).pagination.limit).toBe(1);
  }
  await edge(400, 'a query that is a list', { path: '/campaigns?limit=1,2' });
  for (const path of ['/healthz', '/docs', '/nowhere', '/api/v2.0/nowhere']) {
    await edge(400, `a Host that is no address: ${path}`, { path, headers: { host: '1.2.3.4.5' } });
  }
  const own = await sendRaw(baseUrl, { path: '/healthz', headers: { 'x-request-id': 'my-request-0001' } });
  expect(own.headers['x-request-id']).toBe('my-request-0001');
  const forged = await sendRaw(baseUrl, { path: '/healthz', headers: { 'x-request-id': 'no<script>' } });
  expect(forged.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  await edge(401, 'two tokens', {
    path: '/admin/brands',
    headers: { authorization: `${authorization}, ${authorization}` },
  });
  await edge(200, 'a lower-case scheme', { path: '/admin/brands', headers: { authorization: `bearer ${adminToken}` } });
}
