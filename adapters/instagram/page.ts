/**
 * Reading a logged-out page: which route it is, the JSON embedded in it, and the tokens it carries. The status code of these
 * pages says nothing; the route does.
 */
import {
  embeddedScripts,
  field,
  findAll,
  findObjects,
  type Identity,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';
import { readApiBody } from './api-verdict.ts';
import { loginOrChallenge, loginOrChallengeRoute, notFound, refusedByStatus, type Subject } from './refusals.ts';
import { learnTokens } from './tokens.ts';

export interface InstagramPage {
  /** The last part of `canonicalRouteName`, for example `PolarisLoggedOutDesktopWWWPostRoute`. */
  readonly route: string | null;
  /** The embedded JSON documents, in order. */
  readonly documents: readonly unknown[];
  /** Set instead of documents when the page only points at another path of Instagram. */
  readonly redirectedTo: string | null;
}

const DATA_KEYS: Readonly<Record<Subject, string>> = { post: 'xig_polaris_media', profile: 'xig_user_by_username' };

/** Judges a page; one with data, or of a route not known, is left to the reader of that data. */
export function readPage(response: ScrapingResponse, identity: Identity, subject: Subject): Verdict<InstagramPage> {
  const trouble = readTrouble(response);
  if (trouble !== null) return trouble;
  if (response.status >= 300 && response.status < 400) return readRedirect(response);
  const closed = refusedByStatus(response);
  if (response.text.length === 0) return closed ?? { kind: 'unreadable', reason: 'empty-body', retries: 1 };
  if (response.text.startsWith('{')) {
    // Refused before the page was rendered, in the words of the API.
    const verdict = readApiBody(response, identity, subject);
    return verdict.kind === 'ok' ? { kind: 'unreadable', reason: 'unknown-page', retries: 1 } : verdict;
  }
  const documents = embeddedDocuments(response.text);
  learnTokens(response.text, identity);
  const route = routeOf(documents);
  if (route?.endsWith('PolarisErrorRoute') === true) return { kind: 'permanent', error: notFound(subject) };
  const refusal = route === null ? null : loginOrChallengeRoute(route);
  if (refusal !== null) return refusal;
  const hasData = documents.some((document) => findAll(document, DATA_KEYS[subject]).length > 0);
  if (hasData) return { kind: 'ok', value: { route, documents, redirectedTo: null } };
  // Cut off on its way: what it would have held is not known.
  if (!response.text.includes('</html')) return closed ?? { kind: 'unreadable', reason: 'truncated', retries: 1 };
  if (route !== null && /PolarisLoggedOutDesktopWWW(?:Post|Profile)Route$/.test(route)) {
    // A throttled page says nothing of what was asked for; one that does, under other names, has changed.
    const name = nameIn(response.url);
    const isNamed = documents.some((document) => hasResultsAbout(document, name));
    return isNamed ? { kind: 'unreadable', reason: 'drifted' } : { kind: 'throttled' };
  }
  return closed ?? { kind: 'unreadable', reason: 'unknown-page', retries: 1, immediately: true };
}

function readRedirect(response: ScrapingResponse): Verdict<InstagramPage> {
  const location = response.header('location') ?? '';
  const refusal = loginOrChallenge(location, response.url);
  if (refusal !== null) return refusal;
  if (!URL.canParse(location, response.url)) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const target = new URL(location, response.url);
  return { kind: 'ok', value: { route: null, documents: [], redirectedTo: target.pathname } };
}

function embeddedDocuments(html: string): unknown[] {
  return [...embeddedScripts(html)]
    .filter(({ attributes }) => attributes.includes('application/json') && attributes.includes('data-sjs'))
    .map(({ content }) => parseJson(content))
    .filter((document) => document !== undefined);
}

/** The code of the post, or the handle, that a page is about. */
function nameIn(url: string): string {
  return new URL(url).pathname.toLowerCase().split('/').findLast(Boolean) ?? '';
}

/** Whether the results of the page's queries (`__bbox.result.data`) name the post or account, whatever their own names. */
function hasResultsAbout(document: unknown, name: string): boolean {
  const isName = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase() === name;
  return findAll(document, 'result').some(
    (result) => findObjects(field(result, 'data'), (object) => Object.values(object).some(isName)).length > 0,
  );
}

function routeOf(documents: readonly unknown[]): string | null {
  for (const document of documents) {
    const name = findAll(document, 'canonicalRouteName').find((value) => typeof value === 'string');
    if (typeof name === 'string') return name.slice(name.lastIndexOf('.') + 1);
  }
  return null;
}
