/** What a session needs of a WebSocket of the package `ws`: with it, types that name a socket need no such package. */
export interface SessionSocket {
  readonly isPaused: boolean;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  send(data: Uint8Array | string, sent: (error?: Error | null) => void): void;
  pause(): void;
  resume(): void;
  close(code?: number): void;
  terminate(): void;
}
