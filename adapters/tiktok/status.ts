/** TikTok's own status codes and messages. */
import type { ErrorCode } from '../../core/errors.ts';
import { clearRefusal, type Verdict } from '../scraping/index.ts';

/** What was asked for: the same code means a missing post on one page and a missing profile on another. */
export type Subject = 'post' | 'profile';

type Refusal = Verdict<never>;

/** The message decides first: one code stands for many cases. */
const MESSAGES: Readonly<Record<string, (subject: Subject) => Refusal>> = {
  "item doesn't exist": notFound,
  status_deleted: notFound,
  status_self_see: isPrivate,
  status_friend_see: isPrivate,
  author_secret: isPrivate,
  content_classification: ageRestricted,
  person_geo_fencing: (subject) => unavailable(subject, 'region'),
  copyright_geo_filter: (subject) => unavailable(subject, 'region'),
  cross_border_violation: (subject) => unavailable(subject, 'region'),
  status_reviewing: (subject) => unavailable(subject, 'review'),
  status_audit_not_pass: (subject) => unavailable(subject, 'review'),
};

/** Words that refuse us, whatever the code beside them says about the post. */
const ABOUT_US = /\blog ?in\b|\bcaptcha\b|\bverify\b|\bfrequent|\btoo many\b|\btry again\b/;

/** 10204 is not among them: it stands for many cases, and only its message says which. */
const CODES: Readonly<Record<number, (subject: Subject) => Refusal>> = {
  10202: notFound,
  10216: isPrivate,
  10217: notFound,
  10221: notFound,
  10222: isPrivate,
  10231: (subject) => unavailable(subject, 'region'),
  10101: () => ({ kind: 'blocked', reason: 'login-required' }),
  209002: () => ({ kind: 'blocked', reason: 'login-required' }),
  10000: () => ({ kind: 'blocked', reason: 'captcha' }),
  2146: () => ({ kind: 'unreadable', reason: 'app-too-old' }),
};

/** Shown beside data that may be read all the same: an account that is private, even for those it let in. */
export const PRIVATE_ACCOUNT = 10_222;

/** What a status means, or null when it says that all is well. A status that is no number is a drifted answer. */
export function readStatus(subject: Subject, code: unknown, message: unknown): Refusal | null {
  const text = typeof message === 'string' ? message.trim().toLowerCase().replaceAll('’', "'") : '';
  const byMessage = Object.hasOwn(MESSAGES, text) ? MESSAGES[text] : undefined;
  if (byMessage !== undefined) return byMessage(subject);
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return { kind: 'unreadable', reason: 'drifted' };
  if (code === 0) return null;
  const unreadable: Refusal = { kind: 'unreadable', reason: `status-${code}` };
  const byCode = CODES[code]?.(subject) ?? unreadable;
  return byCode.kind === 'permanent' && ABOUT_US.test(text) ? unreadable : byCode;
}

function notFound(subject: Subject): Refusal {
  return subject === 'post'
    ? permanent('POST_NOT_FOUND', 'TikTok has no such post, or it was deleted.', 'not-found')
    : permanent('PROFILE_NOT_FOUND', 'TikTok has no such profile; check the spelling of the handle.', 'not-found');
}

function isPrivate(subject: Subject): Refusal {
  return subject === 'post'
    ? permanent('POST_PRIVATE', 'This TikTok post is not public; its author can make it so.', 'private')
    : permanent('PROFILE_PRIVATE', 'This TikTok account is private and cannot be read.', 'private');
}

function ageRestricted(subject: Subject): Refusal {
  return subject === 'post' ? ageRestrictedPost() : { kind: 'unreadable', reason: 'age-restricted' };
}

export function ageRestrictedPost(): Refusal {
  return permanent('POST_AGE_RESTRICTED', 'This TikTok post is age restricted and cannot be read.', 'age-restricted');
}

function unavailable(subject: Subject, reason: 'region' | 'review'): Refusal {
  const why = reason === 'region' ? 'is not shown in our region' : 'is under review by TikTok';
  return subject === 'post'
    ? permanent('POST_UNAVAILABLE', `This TikTok post ${why}.`, reason)
    : permanent('PLATFORM_UNAVAILABLE', `This TikTok profile ${why}.`, reason);
}

function permanent(code: ErrorCode, message: string, reason: string): Refusal {
  return clearRefusal('tiktok', code, message, reason);
}
