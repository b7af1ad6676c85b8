/** What the benchmark of claims and its host processes say to each other. */

/** The command-line argument of a host process. */
export interface HostSetup {
  readonly url: string;
}

/** Asks a host to work jobs off until none is left. */
export interface Go {
  readonly at: number;
}

/** What one host has done. */
export interface Done {
  readonly claimed: number;
  /** Commands that the database was sent, those included that found nothing. */
  readonly commands: number;
}
