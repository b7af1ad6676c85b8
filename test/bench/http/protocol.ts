/** What the benchmark and its server process say to each other. */

export const SUBJECTS = ['bare Fastify', 'Credence on Fastify', 'bare Express', 'Credence on Express'] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Ready {
  readonly kind: 'ready';
  readonly urls: Readonly<Record<Subject, string>>;
  readonly token: string;
  readonly campaignId: number;
  readonly challengeId: number;
}

/** The command-line argument of the server process. */
export interface ServerSetup {
  readonly comments: number;
  readonly campaigns: number;
}
