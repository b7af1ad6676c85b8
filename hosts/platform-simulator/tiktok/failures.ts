/** TikTok's own ways to refuse, as each kind of endpoint words them. */
import type { FailureShape } from '../failure-shapes.ts';
import { json, redirect, type SiteAnswer } from '../site.ts';
import { captchaPage, pageWithoutData, rehydrationPage } from './pages.ts';

export type EndpointKind = 'post-page' | 'profile-page' | 'api';

type Status = readonly [code: number, message: string];

const STATUSES: Partial<Record<FailureShape, Status>> = {
  'status-deleted': [10204, 'status_deleted'],
  'age-restricted': [10204, 'content_classification'],
  'status-reviewing': [10204, 'status_reviewing'],
  'private-post': [10216, ''],
  'private-account': [10222, ''],
  'cross-border': [10231, 'cross_border_violation'],
  'login-required': [10101, ''],
  'unknown-status': [10_999, 'something_new'],
};

/** The status each endpoint gives for what it does not have, or will not show. */
const BY_ENDPOINT: Record<EndpointKind, { readonly notFound: Status; readonly private: Status }> = {
  'post-page': { notFound: [10204, "item doesn't exist"], private: [10216, ''] },
  'profile-page': { notFound: [10221, ''], private: [10222, ''] },
  api: { notFound: [10204, "item doesn't exist"], private: [10216, ''] },
};

/** The answer for a shape, or null for one that only the endpoint itself can make. */
export function tiktokFailure(kind: EndpointKind, shape: FailureShape): SiteAnswer | null {
  switch (shape) {
    case 'verify':
      return json({ code: '10000', from: '', type: 'verify', version: '', region: 'sg', subtype: 'slide', fp: '' });
    case 'captcha-page':
      return captchaPage();
    case 'no-rehydration-data':
      return pageWithoutData();
    case 'login-redirect':
      return redirect('https://www.tiktok.com/login?redirect_url=%2F');
    default: {
      const status = statusOf(kind, shape);
      return status === null ? null : statusAnswer(kind, status);
    }
  }
}

export function notFoundAnswer(kind: EndpointKind): SiteAnswer {
  return statusAnswer(kind, BY_ENDPOINT[kind].notFound);
}

function statusOf(kind: EndpointKind, shape: FailureShape): Status | null {
  if (shape === 'not-found') return BY_ENDPOINT[kind].notFound;
  if (shape === 'private') return BY_ENDPOINT[kind].private;
  return STATUSES[shape] ?? null;
}

function statusAnswer(kind: EndpointKind, [code, message]: Status): SiteAnswer {
  if (kind === 'api') return json({ status_code: code, status_msg: message, log_pb: { impr_id: 'simulated' } });
  const scope = kind === 'post-page' ? 'webapp.video-detail' : 'webapp.user-detail';
  const body = kind === 'post-page' ? { itemInfo: {} } : { needFix: false };
  return rehydrationPage({ [scope]: { ...body, statusCode: code, statusMsg: message } });
}
