/** The page at `redirectUrl`: explains the bio code, checks it, tells the outcome. */
import type { ConnectionView } from '../../../core/engagement/connections/check-connection.ts';
import type { Reply } from '../route.ts';
import { Html, html, page } from './html.ts';

const PLATFORM_LABEL = { instagram: 'Instagram', tiktok: 'TikTok' } as const;

export interface ConnectPageOptions {
  /** Said above the form, for example why a check could not be made. */
  readonly problem?: string;
  readonly status?: number;
}

/** Renders how a connection request stands. */
export function connectPage(view: ConnectionView, options: ConnectPageOptions = {}): Reply {
  const platform = PLATFORM_LABEL[view.request.platform];
  switch (view.kind) {
    case 'connected':
      return page(
        200,
        `Your ${platform} account is connected`,
        html`<p role="status">@${view.request.handle ?? ''} is linked. You can remove the code from your bio and close this page.</p>`,
      );
    case 'expired':
      return page(
        410,
        'This link has expired',
        html`<p role="alert">Ask for a new link where you started and try again.</p>`,
      );
    case 'failed':
      return page(
        410,
        'Too many checks',
        html`<p role="alert">The code was not found in ${view.request.maxChecks} checks, so this link no longer works. Ask for a new one where you started.</p>`,
      );
    default:
      return page(options.status ?? 200, `Connect your ${platform} account`, form(view, platform, options.problem));
  }
}

function form(view: ConnectionView, platform: string, problem: string | undefined): Html {
  const { request } = view;
  const notice =
    problem ??
    (view.kind === 'not-found-in-bio'
      ? `The code is not in the bio of @${view.handle} yet. Save your profile, wait a moment and check again.`
      : null);
  const left = request.maxChecks - request.checks;
  return html`${notice === null ? new Html('') : html`<p role="alert" class="notice">${notice}</p>`}
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
<p><small>${left} ${left === 1 ? 'check' : 'checks'} left. The link works until ${request.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.</small></p>`;
}
