/** The page at `redirectUrl`: names the account that is linked to, explains the bio code, checks it, tells the outcome. */

import type { ConnectionView } from '../../../core/engagement/connections/check-connection.ts';
import { CODE_HEADER, CODE_PARAMETER } from '../../../core/engagement/connections/connection.ts';
import { returnLink } from '../../../core/engagement/connections/return-url.ts';
import type { Reply } from '../route.ts';
import { Html, html, page } from './html.ts';

export interface ConnectPageOptions {
  /** The platform's label. */
  readonly platform: string;
  /** Said above the form, for example why a check could not be made. */
  readonly problem?: string;
  readonly status?: number;
  /** What a web proof of the logged-in account may prove; without any, the page does not speak of web proofs. */
  readonly proofUrls?: readonly string[];
}

/** Renders how a connection request stands. */
export function connectPage(view: ConnectionView, options: ConnectPageOptions): Reply {
  const { platform } = options;
  switch (view.kind) {
    case 'connected':
      return page(
        200,
        `Your ${platform} account is connected`,
        html`<p role="status">@${view.request.handle ?? ''} is linked to the account <strong>${view.request.externalId}</strong>. You can remove the code from your bio and close this page.</p>${wayBack(view)}`,
      );
    case 'expired':
      return page(
        410,
        'This link has expired',
        html`<p role="alert">Ask for a new link where you started and try again.</p>${wayBack(view)}`,
      );
    case 'failed':
      return page(
        410,
        'Too many checks',
        html`<p role="alert">The code was not found in ${view.request.maxChecks} checks, so this link no longer works. Ask for a new one where you started.</p>${wayBack(view)}`,
      );
    default:
      return page(options.status ?? 200, `Connect your ${platform} account`, form(view, options));
  }
}

function form(view: ConnectionView, { platform, problem, proofUrls = [] }: ConnectPageOptions): Html {
  const { request } = view;
  const notice =
    problem ??
    (view.kind === 'not-found-in-bio'
      ? `The code is not in the bio of @${view.handle} yet. Save your profile, wait a moment and check again.`
      : null);
  const left = request.maxChecks - request.checks;
  return html`${notice === null ? new Html('') : html`<p role="alert" class="notice">${notice}</p>`}
<p>This links your ${platform} profile to the account <strong>${request.externalId}</strong>. If that is not your account, close this page and do not use the code.</p>
<p>Show that the profile is yours by putting this one-time code into its bio:</p>
<p><code>${request.code}</code></p>
<ol>
<li>Open ${platform} and edit your profile.</li>
<li>Add the code anywhere in your bio and save.</li>
<li>Come back and check. You can remove the code afterwards.</li>
</ol>
<form method="post">
${
  request.handle === null
    ? html`<label for="handle">Your ${platform} handle</label>
<input id="handle" name="handle" required maxlength="64" autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="@name">`
    : html`<p>Profile: <strong>@${request.handle}</strong></p>`
}
<button type="submit">Check my profile</button>
</form>
${proofUrls.length === 0 ? new Html('') : webProofDirections(request.code, platform, proofUrls)}
<p><small>${left} ${left === 1 ? 'check' : 'checks'} left. The link works until ${request.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.</small></p>${wayBack(view)}`;
}

/** A link, since a page that has told the outcome should not vanish by itself. */
function wayBack({ kind, request }: ConnectionView): Html {
  const status = kind === 'not-found-in-bio' ? 'pending' : kind;
  const link = returnLink(request, status);
  return link === null
    ? new Html('')
    : html`
<p><a href="${link}" rel="noreferrer">Go back to ${new URL(link).host}</a></p>`;
}

function webProofDirections(code: string, platform: string, urls: readonly string[]): Html {
  return html`<details>
<summary>With a web proof instead</summary>
<p>Let a prover that is logged in to ${platform} prove one of these addresses. Send the code with the request, visibly: as the header <code>${CODE_HEADER}: ${code}</code>, or as the parameter <code>${CODE_PARAMETER}=${code}</code>. Hide your cookies and nothing of the answer.</p>
<ul>
${new Html(urls.map((url) => html`<li><code>${url}</code></li>`.markup).join('\n'))}
</ul>
</details>`;
}
