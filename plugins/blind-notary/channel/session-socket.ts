/** What a session needs of a WebSocket of the package `ws`: with it, types that name a socket need no such package. */
export interface SessionSocket {
  readonly isPaused: boolean;
  /** Calls `listener` for each frame, with whether it is binary. */
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  /** Calls `listener` if the connection fails. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Calls `listener` once the connection is closed. */
  on(event: 'close', listener: () => void): unknown;
  /** Sends one frame. `sent` is called when more can be taken, or with what went wrong. */
  send(data: Uint8Array | string, sent: (error?: Error | null) => void): void;
  /** Reads no more frames for now. */
  pause(): void;
  /** Reads on. */
  resume(): void;
  /** Closes after what was sent is read. */
  close(code?: number): void;
  /** Ends the connection at once. */
  terminate(): void;
}
