/** The page at `redirectUrl`: names the account that is linked to, explains the bio code, checks it, tells the outcome. */

import type { ConnectionView } from '../../../../core/engagement/connections/check-connection.ts';
import { CODE_HEADER, CODE_PARAMETER } from '../../../../core/engagement/connections/connection.ts';
import { returnLink } from '../../../../core/engagement/connections/return-url.ts';
import type { ErrorCode } from '../../../../core/errors.ts';
import type { Reply } from '../../route.ts';
import { type Html, html, joined, wholePage } from '../html.ts';
import type { ConnectLook } from './style.ts';
import type { TextName } from './texts/en.ts';
import { type Language, type Say, sayIn } from './texts/index.ts';

/** How every page of the flow is shown. */
export interface ConnectSetting {
  readonly look: ConnectLook;
  readonly language: Language;
}

/** How one request is shown. */
export interface ConnectPageOptions extends ConnectSetting {
  /** The platform's label. */
  readonly platform: string;
  /** Why a check could not be made; said above the form. */
  readonly problem?: { readonly code: ErrorCode; readonly status: number };
  /** What was typed into the field of the handle: a check that failed does not empty it. */
  readonly typed?: string | undefined;
  /** What a web proof of the logged-in account may prove; without any, the page does not speak of web proofs. */
  readonly proofUrls?: readonly string[];
  /** The URL of the script, relative to the page. Without it, the page does without. */
  readonly script?: string | null;
  /** How long a check takes at most. */
  readonly checkSeconds: number;
}

/** Renders how a connection request stands. */
export function connectPage(view: ConnectionView, options: ConnectPageOptions): Reply {
  const { platform, problem } = options;
  const { request } = view;
  const say = sayIn(options.language);
  const account = html`<strong>${request.externalId}</strong>`;
  const back = wayBack(view, options, say);
  switch (view.kind) {
    case 'connected': {
      const site = siteOf(view, options.look);
      const handle = `@${request.handle ?? ''}`;
      const linked =
        site === null ? say('connected', { handle, account }) : say('connectedAt', { handle, account, site });
      const content = html`<p role="status">${linked} ${say('afterwards')}</p>${back}`;
      return page(200, 'connected', say('connectedTitle', { platform }), content, options);
    }
    case 'expired':
      return page(410, 'expired', say('expiredTitle'), html`<p role="alert">${say('expired')}</p>${back}`, options);
    case 'failed': {
      const content = html`<p role="alert">${say('failed', { count: request.maxChecks })}</p>${back}`;
      return page(410, 'failed', say('failedTitle'), content, options);
    }
    default: {
      const content = html`${form(view, options, say)}${back}`;
      return page(problem?.status ?? 200, 'pending', say('title', { platform }), content, options);
    }
  }
}

/** Says that a link leads nowhere. */
export function noSuchConnectPage(setting: ConnectSetting): Reply {
  const say = sayIn(setting.language);
  return page(404, 'missing', say('missingTitle'), html`<p role="alert">${say('missing')}</p>`, setting);
}

/** Says that nothing can be shown for now. */
export function awayPage(status: number, setting: ConnectSetting): Reply {
  return page(status, 'unavailable', sayIn(setting.language)('unavailable'), null, setting);
}

/** `state` tells the script whether what it fetched differs from what is shown. */
function page(
  status: number,
  state: string,
  heading: Html,
  content: Html | null,
  { look, language, script = null }: ConnectSetting & Pick<ConnectPageOptions, 'script'>,
): Reply {
  const { brand } = look;
  const isScripted = state === 'pending' && script !== null;
  const logo = brand?.logoUrl ? html`<img src="${brand.logoUrl}" alt="" referrerpolicy="no-referrer">` : null;
  const body = html`${brand && html`<header>${logo}<span>${brand.name}</span></header>\n`}<main data-state="${state}">
<h1 tabindex="-1">${heading}</h1>
${content}
</main>${isScripted ? html`\n<script src="${script}"></script>` : null}`;
  // The heading has no markup of its own, so its text is a title as it stands.
  const title = html`${heading}${brand && ` · ${brand.name}`}`;
  const reply = wholePage(status, title, body, isScripted ? look.scripted : look.still, language);
  return { ...reply, headers: { ...reply.headers, 'content-language': language, vary: 'accept-language' } };
}

function form(view: ConnectionView, options: ConnectPageOptions, say: Say): Html {
  const { platform, typed = '', proofUrls = [], language, checkSeconds } = options;
  const { request } = view;
  const account = html`<strong>${request.externalId}</strong>`;
  const site = siteOf(view, options.look);
  const purpose = site === null ? say('purpose', { platform, account }) : say('purposeAt', { platform, account, site });
  const left = request.maxChecks - request.checks;
  const time = html`<time datetime="${request.expiresAt.toISOString()}">${momentIn(language, request.expiresAt)}</time>`;
  return html`${notice(view, options, say)}<p>${purpose} ${say('notYours')}</p>
<p>${say('instruction')}</p>
<p class="code"><code>${request.code}</code> <button type="button" data-copied="${say('copied')}" data-by-hand="${say('copyByHand')}" hidden>${say('copy')}</button></p>
<ol>
<li>${say('stepEdit', { platform })}</li>
<li>${say('stepPaste')}</li>
<li>${say('stepReturn')}</li>
</ol>
<form method="post" data-checking="${say('checking', { platform, seconds: checkSeconds })}" data-unreachable="${say('unreachable')}">
${
  request.handle === null
    ? html`<label for="handle">${say('handle', { platform })}</label>
<input id="handle" name="handle" value="${typed}" required maxlength="64" autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="${say('handleExample')}">`
    : html`<p>${say('profile', { handle: html`<strong>@${request.handle}</strong>` })}</p>`
}
<button type="submit">${say('check')}</button>
</form>
<p class="status" role="status"></p>
${proofUrls.length === 0 ? null : webProofDirections(request.code, platform, proofUrls, say)}
<p><small>${left === 1 ? say('oneCheckLeft') : say('checksLeft', { count: left })} ${say('validUntil', { time })} <span data-left></span></small></p>`;
}

/** What is said of a check that could not be made. Of all else: the platform cannot be read. */
const PROBLEMS = {
  INVALID_REQUEST: 'badHandle',
  PROFILE_NOT_FOUND: 'noProfile',
  PROFILE_PRIVATE: 'privateProfile',
  CONFLICT: 'busy',
  SCRAPING_RATE_LIMITED: 'tooOften',
  NOT_SUPPORTED: 'unsupported',
} as const satisfies { readonly [Code in ErrorCode]?: TextName };

function notice(view: ConnectionView, { platform, problem }: ConnectPageOptions, say: Say): Html | null {
  if (problem !== undefined) {
    const { code } = problem;
    return alert(say(code in PROBLEMS ? PROBLEMS[code as keyof typeof PROBLEMS] : 'unreadable', { platform }));
  }
  if (view.kind === 'not-found-in-bio') return alert(say('notInBio', { handle: `@${view.handle}` }));
  return null;
}

const alert = (text: Html) => html`<p role="alert" class="notice">${text}</p>\n`;

/** Whose account is linked: the brand, or the site that the operator lets the page lead back to. */
function siteOf({ request }: ConnectionView, { brand }: ConnectLook): string | null {
  return brand?.name ?? (request.returnUrl ? new URL(request.returnUrl).host : null);
}

/** A link, since a page that has told the outcome should not vanish by itself. */
function wayBack({ kind, request }: ConnectionView, { look }: ConnectSetting, say: Say): Html | null {
  const status = kind === 'not-found-in-bio' ? 'pending' : kind;
  const link = returnLink(request, status);
  if (link === null) return null;
  const site = look.brand?.name ?? new URL(link).host;
  const main = kind === 'connected' ? html` class="go"` : null;
  return html`
<p><a href="${link}" rel="noreferrer"${main}>${say('back', { site })}</a></p>`;
}

/** In UTC, since the server does not know the clock of the browser; the script shows that one. */
function momentIn(language: Language, moment: Date): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(moment);
}

function webProofDirections(code: string, platform: string, urls: readonly string[], say: Say): Html {
  const header = html`<code>${CODE_HEADER}: ${code}</code>`;
  const parameter = html`<code>${CODE_PARAMETER}=${code}</code>`;
  return html`<details>
<summary>${say('proofTitle')}</summary>
<p>${say('proofSteps', { platform, header, parameter })}</p>
<ul>
${joined(urls.map((url) => html`<li><code>${url}</code></li>`))}
</ul>
</details>`;
}
