/** What forms hold, so that it comes back to who lost the session. */
interface Draft {
  readonly session: AbortSignal;
  readonly page: string;
  readonly fields: object;
}

/** By caller, page and what the fields held at first. */
export const drafts = new Map<string, Draft>();

/** What was sent and answered is no draft any more. One that is open again in a later session stays. */
export function forgetDrafts(session: AbortSignal, page: string): void {
  for (const [place, draft] of drafts) if (draft.session === session && draft.page === page) drafts.delete(place);
}
