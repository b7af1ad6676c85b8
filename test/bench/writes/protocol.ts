/** What the benchmark of writes and its server process say to each other. */

/** The command-line argument of the server process. */
export interface ServerSetup {
  /** A MongoDB database; a SQLite file of its own without one. */
  readonly mongoUrl?: string;
  readonly comments: number;
  /** How many creators there are to open attempts. */
  readonly creators: number;
}

export const SUBJECTS = ['Credence', 'bare Fastify'] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Ready {
  readonly urls: Readonly<Record<Subject, string>>;
  readonly token: string;
  readonly campaignId: number;
  /** Each subject writes attempts at a challenge of its own, and reads the comments of the first. */
  readonly challengeIds: Readonly<Record<Subject, number>>;
}

/** The externalId of a creator that the server has registered. */
export function creatorName(index: number): string {
  return `creator-${index}`;
}
