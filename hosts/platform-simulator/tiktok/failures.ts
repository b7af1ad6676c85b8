/** TikTok's own ways to refuse, as each kind of endpoint words them. */
import type { FailureShape } from '../failure-shapes.ts';
import { type Failures, json, redirect, type SiteAnswer } from '../messages.ts';
import { endpointsOf } from '../site.ts';
import { captchaPage, pageWithoutData, rehydrationPage } from './pages.ts';

type EndpointKind = 'post-page' | 'profile-page' | 'api';

type Status = readonly [code: number, message: string];

const STATUSES = {
  'status-deleted': [10204, 'status_deleted'],
  'age-restricted': [10204, 'content_classification'],
  'status-reviewing': [10204, 'status_reviewing'],
  'private-post': [10216, ''],
  'private-account': [10222, ''],
  'cross-border': [10231, 'cross_border_violation'],
  'login-required': [10101, ''],
  'unknown-status': [10_999, 'something_new'],
} satisfies Partial<Record<FailureShape, Status>>;

/** The status each endpoint gives for what it does not have, or will not show. */
const BY_ENDPOINT: Record<EndpointKind, Readonly<Record<'not-found' | 'private', Status>>> = {
  'post-page': { 'not-found': [10204, "item doesn't exist"], private: [10216, ''] },
  'profile-page': { 'not-found': [10221, ''], private: [10222, ''] },
  api: { 'not-found': [10204, "item doesn't exist"], private: [10216, ''] },
};

/** How one kind of endpoint words failures. */
function tiktokFailures(kind: EndpointKind): Failures {
  const shapes = Object.keys({ ...STATUSES, ...BY_ENDPOINT[kind] }) as readonly StatusShape[];
  return {
    ...Object.fromEntries(shapes.map((shape) => [shape, () => statusAnswer(kind, shape)])),
    verify: () => json({ code: '10000', type: 'verify' }),
    'captcha-page': captchaPage,
    'no-rehydration-data': pageWithoutData,
    'login-redirect': () => redirect('https://www.tiktok.com/login?redirect_url=%2F'),
  };
}

/** An endpoint that words failures as its kind does. */
export const endpoint = endpointsOf(tiktokFailures);

type StatusShape = keyof typeof STATUSES | 'not-found' | 'private';

/** The answer for a shape that is told by a status. */
export function statusAnswer(kind: EndpointKind, shape: StatusShape): SiteAnswer {
  const [code, message] = { ...STATUSES, ...BY_ENDPOINT[kind] }[shape];
  if (kind === 'api') return json({ status_code: code, status_msg: message });
  const scope = kind === 'post-page' ? 'webapp.video-detail' : 'webapp.user-detail';
  const body = kind === 'post-page' ? { itemInfo: {} } : { needFix: false };
  return rehydrationPage({ [scope]: { ...body, statusCode: code, statusMsg: message } });
}
